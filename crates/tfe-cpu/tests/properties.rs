//! Kernels on random inputs, odd values among them, against the plain references of the conformance suites.

use proptest::collection::vec;
use proptest::prelude::*;
use tfe_core::{DTypeSet, DataType, Tensor};
use tfe_cpu::{CpuDevice, CpuOptions};
use tfe_device::KernelRegistry;
use tfe_ops::AttrValue;
use tfe_testkit::conformance::Want;
use tfe_testkit::conformance::references::{self, Masks, SliceSpec};
use tfe_testkit::{Direct, Runner, strategies};

thread_local! {
    static CPU: (CpuDevice, KernelRegistry) = {
        let options = CpuOptions { threads: Some(2), ..CpuOptions::default() };
        (CpuDevice::new(0, &options), KernelRegistry::new(tfe_kernels::all()))
    };
}

/// What is wrong with the results of a call.
fn wrong<const N: usize>(
    op: &str,
    attrs: [(&str, AttrValue); N],
    inputs: &[Tensor],
    want: &Want,
) -> Option<String> {
    let attrs: Vec<_> = attrs.map(|(name, value)| (name.to_owned(), value)).into();
    CPU.with(|(cpu, kernels)| want.judge(&Direct::new(cpu, kernels).run(op, &attrs, inputs)))
}

fn ints(values: &[i64]) -> Tensor {
    Tensor::vector(values).expect("memory")
}

/// Two matrices that fit, and which of them are transposed.
fn matrices() -> impl Strategy<Value = (Tensor, Tensor, bool, bool)> {
    let among = DTypeSet::of(&[
        DataType::Float,
        DataType::Double,
        DataType::Int32,
        DataType::Half,
    ]);
    let sizes = (0..20i64, 0..20i64, 0..20i64);
    (
        strategies::dtype(among),
        sizes,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_flat_map(|(dtype, (m, k, n), ta, tb)| {
            let a = if ta { vec![k, m] } else { vec![m, k] };
            let b = if tb { vec![n, k] } else { vec![k, n] };
            let tensor = strategies::ordinary_tensor;
            (tensor(dtype, a), tensor(dtype, b), Just(ta), Just(tb))
        })
}

/// Tensors that differ in one dimension only, and that dimension, counted from either end.
fn parts() -> impl Strategy<Value = (Vec<Tensor>, i64)> {
    let shape = strategies::dims(3, 4).prop_filter("scalars do not concatenate", |d| !d.is_empty());
    (
        strategies::dtype(DTypeSet::NUMBER),
        shape,
        vec(0..5i64, 2..6),
        any::<bool>(),
    )
        .prop_flat_map(|(dtype, dims, lengths, from_end)| {
            let rank = dims.len();
            (0..rank).prop_flat_map(move |axis| {
                let part = |&len: &i64| {
                    let mut dims = dims.clone();
                    dims[axis] = len;
                    strategies::tensor(dtype, dims)
                };
                let given = if from_end {
                    axis as i64 - rank as i64
                } else {
                    axis as i64
                };
                (lengths.iter().map(part).collect::<Vec<_>>(), Just(given))
            })
        })
}

/// An entry of a slice as it is drawn: kind, begin, end, stride, and whether begin and end are left open.
type Entry = (u8, i64, i64, i64, bool, bool);

fn entry() -> impl Strategy<Value = Entry> {
    let stride = prop_oneof![-3..0i64, 1..4i64];
    (
        0..8u8,
        -6..7i64,
        -6..7i64,
        stride,
        any::<bool>(),
        any::<bool>(),
    )
}

/// A slice that fits the dimensions, out of any entries.
#[derive(Clone, Debug, Default)]
struct Slice {
    begin: Vec<i64>,
    end: Vec<i64>,
    strides: Vec<i64>,
    masks: Masks,
}

impl Slice {
    const NEW_AXIS: u8 = 0;
    const ELLIPSIS: u8 = 1;
    const SHRINK: u8 = 2;

    fn of(dims: &[i64], entries: &[Entry]) -> Self {
        let is_named = |kind: u8| kind > Self::ELLIPSIS;
        let mut kept: Vec<Entry> = Vec::new();
        for &(mut entry) in entries {
            let have = |kind: u8| kept.iter().any(|e| e.0 == kind);
            if entry.0 == Self::ELLIPSIS && have(Self::ELLIPSIS) {
                entry.0 = Self::NEW_AXIS;
            }
            let named = kept.iter().filter(|e| is_named(e.0)).count();
            if !is_named(entry.0) || named < dims.len() {
                kept.push(entry);
            }
        }
        let named = kept.iter().filter(|e| is_named(e.0)).count();
        let (mut slice, mut seen, mut after_ellipsis) = (Self::default(), 0, false);
        for (i, (kind, mut begin, end, mut stride, open_begin, open_end)) in
            kept.into_iter().enumerate()
        {
            let bit = 1i64 << i;
            let dim = dims.get(if after_ellipsis {
                dims.len() - named + seen
            } else {
                seen
            });
            match kind {
                Self::NEW_AXIS => slice.masks.new_axis |= bit,
                Self::ELLIPSIS => {
                    slice.masks.ellipsis |= bit;
                    after_ellipsis = true;
                }
                Self::SHRINK if dim.is_some_and(|&d| d > 0) => {
                    let d = dim.copied().unwrap_or(1);
                    begin = begin.rem_euclid(d) - if begin < 0 { d } else { 0 };
                    stride = 1;
                    slice.masks.shrink |= bit;
                }
                _ => {
                    slice.masks.begin |= if open_begin { bit } else { 0 };
                    slice.masks.end |= if open_end { bit } else { 0 };
                }
            }
            seen += usize::from(is_named(kind));
            slice.begin.push(begin);
            slice.end.push(end);
            slice.strides.push(stride);
        }
        slice
    }

    fn spec(&self) -> SliceSpec<'_> {
        SliceSpec {
            begin: &self.begin,
            end: &self.end,
            strides: &self.strides,
            masks: self.masks,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn sums_of_broadcast_tensors((a, b) in strategies::broadcastable_tensors(DTypeSet::NUMBER, 4, 5)) {
        let want = references::elementwise("AddV2", &a, &b).expect("a reference");
        let attrs = [("T", a.dtype().into())];
        prop_assert_eq!(wrong("AddV2", attrs, &[a, b], &want), None);
    }

    #[test]
    fn products_of_broadcast_tensors((a, b) in strategies::broadcastable_tensors(DTypeSet::REAL, 4, 5)) {
        let want = references::elementwise("Mul", &a, &b).expect("a reference");
        let attrs = [("T", a.dtype().into())];
        prop_assert_eq!(wrong("Mul", attrs, &[a, b], &want), None);
    }

    #[test]
    fn sums_along_axes(
        (input, chosen) in strategies::dtype(DTypeSet::NUMBER).prop_flat_map(|dtype| {
            strategies::dims(4, 5).prop_flat_map(move |dims| {
                let axes = vec(any::<(bool, bool)>(), dims.len());
                (strategies::ordinary_tensor(dtype, dims), axes)
            })
        }),
        keep in any::<bool>(),
    ) {
        let rank = input.rank() as i64;
        let axes = (0..rank).zip(&chosen).filter(|(_, (taken, _))| *taken);
        let axes: Vec<i64> = axes.map(|(i, (_, from_end))| if *from_end { i - rank } else { i }).collect();
        let want = references::sum(&input, &axes, keep).expect("a reference");
        let attrs = [("T", input.dtype().into()), ("Tidx", DataType::Int64.into()), ("keep_dims", keep.into())];
        prop_assert_eq!(wrong("Sum", attrs, &[input, ints(&axes)], &want), None);
    }

    #[test]
    fn products_of_matrices((a, b, ta, tb) in matrices()) {
        let want = references::mat_mul(&a, &b, ta, tb).expect("a reference");
        let attrs = [("T", a.dtype().into()), ("transpose_a", ta.into()), ("transpose_b", tb.into())];
        prop_assert_eq!(wrong("MatMul", attrs, &[a, b], &want), None);
    }

    #[test]
    fn parts_are_joined((parts, axis) in parts()) {
        let want = references::concat(&parts, axis).expect("a reference");
        let attrs = [
            ("T", parts[0].dtype().into()),
            ("N", (parts.len() as i64).into()),
            ("Tidx", DataType::Int64.into()),
        ];
        let axis = Tensor::scalar(axis).expect("memory");
        let inputs: Vec<_> = parts.into_iter().chain([axis]).collect();
        prop_assert_eq!(wrong("ConcatV2", attrs, &inputs, &want), None);
    }

    #[test]
    fn slices_are_cut(
        input in strategies::tensor_of(DTypeSet::of(&[DataType::Int16, DataType::String, DataType::Complex128]), 4, 5),
        entries in vec(entry(), 0..7),
    ) {
        let slice = Slice::of(input.dims(), &entries);
        let want = references::strided_slice(&input, &slice.spec()).expect("a reference");
        let attrs = [
            ("T", input.dtype().into()),
            ("Index", DataType::Int64.into()),
            ("begin_mask", slice.masks.begin.into()),
            ("end_mask", slice.masks.end.into()),
            ("ellipsis_mask", slice.masks.ellipsis.into()),
            ("new_axis_mask", slice.masks.new_axis.into()),
            ("shrink_axis_mask", slice.masks.shrink.into()),
        ];
        let inputs = [input, ints(&slice.begin), ints(&slice.end), ints(&slice.strides)];
        prop_assert_eq!(wrong("StridedSlice", attrs, &inputs, &want), None);
    }

    #[test]
    fn the_greatest_come_first(
        (input, k) in strategies::dtype(DTypeSet::INT).prop_flat_map(|dtype| {
            let dims = (vec(1..4i64, 0..2), 1..40i64).prop_map(|(mut dims, n)| {
                dims.push(n);
                dims
            });
            dims.prop_flat_map(move |dims| {
                let n = dims[dims.len() - 1];
                (strategies::tensor(dtype, dims), 0..=n)
            })
        }),
    ) {
        let want = references::top_k(&input, k as usize, DataType::Int32).expect("a reference");
        let attrs = [
            ("T", input.dtype().into()),
            ("Tk", DataType::Int64.into()),
            ("index_type", DataType::Int32.into()),
        ];
        let k = Tensor::scalar(k).expect("memory");
        prop_assert_eq!(wrong("TopKV2", attrs, &[input, k], &want), None);
    }
}
