//! TopKV2: the largest elements of each row, and where they are.

use num_traits::PrimInt;
use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Word, bail, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::{Cursor, axes, fill_words, scratch};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::REAL), ("Tk", INDEX), ("index_type", INDEX)],
    host_inputs: &["k"],
    ..KernelDef::host(ops::TOP_KV2, rule, build)
}];

const INDEX: DTypeSet = DTypeSet::of(&[DataType::Int16, DataType::Int32, DataType::Int64]);

/// Both outputs have the shape of the input, but for `k` columns.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [input, k] = op.inputs(["input", "k"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.scalar(k, "k")?;
        let k = call.integer(k)?;
        ensure!(
            k.is_none_or(|k| k >= 0),
            InvalidArgument,
            "Need k >= 0, got {}",
            k.unwrap_or_default()
        );
        call.at_least_rank(input, 1, || {
            err!(
                InvalidArgument,
                "input must be >= 1-D, got shape {}",
                call.shown(input)
            )
        })?;
        let Some((&columns, outer)) = call.dims(input).and_then(<[i64]>::split_last) else {
            return Ok(());
        };
        let k = k.unwrap_or(dim::UNKNOWN);
        ensure!(
            columns == dim::UNKNOWN || k <= columns,
            InvalidArgument,
            "input must have at least k columns. Had {columns}, needed {k}"
        );
        let mut dims = SmallVec::<[i64; 8]>::from_slice(outer);
        dims.push(k);
        call.set(0, &dims)?;
        call.set(1, &dims)
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    use Encoding::{Float, Signed, Unsigned};

    let (input, index) = (init.input("input")?, init.attrs.dtype("index_type")?);
    Ok(match init.attrs.dtype("T")? {
        DataType::Uint8 => kernel::<u8>(input, index, Unsigned),
        DataType::Uint16 => kernel::<u16>(input, index, Unsigned),
        DataType::Uint32 => kernel::<u32>(input, index, Unsigned),
        DataType::Uint64 => kernel::<u64>(input, index, Unsigned),
        DataType::Int8 => kernel::<u8>(input, index, Signed),
        DataType::Int16 => kernel::<u16>(input, index, Signed),
        DataType::Int32 => kernel::<u32>(input, index, Signed),
        DataType::Int64 => kernel::<u64>(input, index, Signed),
        // No hardware computes with half-precision floats: their denormals are normal numbers of single precision.
        DataType::Half => kernel::<u16>(input, index, Float(0x7c00, 1)),
        DataType::Bfloat16 => kernel::<u16>(input, index, Float(0x7f80, 0x80)),
        DataType::Float => kernel::<u32>(input, index, Float(0x7f80_0000, 0x80_0000)),
        DataType::Double => kernel::<u64>(input, index, Float(0x7ff << 52, 1 << 52)),
        other => bail!(Unimplemented, "{other} is not ordered"),
    })
}

/// What the bits of an element stand for.
#[derive(Clone, Copy)]
enum Encoding<W> {
    Unsigned,
    /// In two's complement.
    Signed,
    /// A float: the bits of infinity, and of the least number that does not count as zero.
    Float(W, W),
}

impl<W: PrimInt> Encoding<W> {
    /// Keys are ordered as elements are. NaN is larger than any number, all NaNs are equal, and so are all zeros.
    fn key(self, bits: W) -> W {
        let sign = !(W::max_value() >> 1);
        match self {
            Self::Unsigned => bits,
            Self::Signed => bits ^ sign,
            Self::Float(infinity, least) => {
                // Choices between values, which loops make for several elements at once.
                let size = bits & !sign;
                let ordered = if bits & sign != W::zero() {
                    !bits
                } else {
                    bits | sign
                };
                let ordered = if size < least { sign } else { ordered };
                if size > infinity {
                    W::max_value()
                } else {
                    ordered
                }
            }
        }
    }

    /// The keys of a block of elements.
    fn keys<'k>(self, block: &[W], keys: &'k mut [W; BLOCK]) -> &'k [W] {
        let keys = &mut keys[..block.len()];
        // Asked once a block, so that each loop has one kind of element.
        match self {
            Self::Unsigned => keys.copy_from_slice(block),
            Self::Signed => encode(block, keys, |bits| Self::Signed.key(bits)),
            Self::Float(a, b) => encode(block, keys, |bits| Self::Float(a, b).key(bits)),
        }
        keys
    }
}

/// How many keys are made at a time: as many as stay near.
const BLOCK: usize = 256;

fn encode<W: Copy>(block: &[W], keys: &mut [W], key: impl Fn(W) -> W) {
    for (key_of, &bits) in keys.iter_mut().zip(block) {
        *key_of = key(bits);
    }
}

fn kernel<W: Word + PrimInt>(
    input: usize,
    index: DataType,
    encoding: Encoding<W>,
) -> Box<dyn Kernel> {
    Box::new(move |ctx: &mut KernelContext<'_>| top_k(ctx, input, index, encoding))
}

fn top_k<W: Word + PrimInt>(
    ctx: &mut KernelContext<'_>,
    input: usize,
    index: DataType,
    encoding: Encoding<W>,
) -> Result<()> {
    let (input, shape) = (ctx.input(input), ctx.output_shape(0)?);
    let columns = input.shape().dim(input.rank() - 1);
    let k = shape.dim(shape.rank() - 1);
    let source = input.as_words::<W>()?;
    // No more than the rows have: an empty tensor may claim any number of columns.
    let most = columns.min(source.len());
    let mut indices = scratch(shape.num_elements())?;
    let mut order: Vec<usize> = scratch(most.min(room(k) + k))?;
    let values = fill_words::<W>(ctx.output(0)?, |dst| {
        let mut values = Cursor::new(dst);
        let rows = if k == 0 { &[] } else { source };
        for row in rows.chunks_exact(columns.max(1)) {
            select(row, encoding, k, &mut order);
            for &i in &order[..k] {
                values.push(row[i]);
                indices.push(i as i64);
            }
        }
        values.finish()
    })?;
    let indices = axes::tensor(ctx, index, shape.clone(), &indices)?;
    ctx.set_output(0, values);
    ctx.set_output(1, indices);
    Ok(())
}

/// How many candidates are gathered, beyond the `k` best so far, before the best of all are looked for.
fn room(k: usize) -> usize {
    (2 * k).max(64)
}

/// Brings the indices of the `k` largest elements to the front of `order`, largest first, ties by index.
fn select<W: PrimInt>(row: &[W], encoding: Encoding<W>, k: usize, order: &mut Vec<usize>) {
    let key = |i: usize| encoding.key(row[i]);
    let larger = |&a: &usize, &b: &usize| key(b).cmp(&key(a)).then(a.cmp(&b));
    order.clear();
    // Where few are wanted of many, most elements lose against the worst so far: those are never moved.
    let room = room(k);
    let mut worst = None;
    let mut keys = [W::zero(); BLOCK];
    for (start, block) in (0..).step_by(BLOCK).zip(row.chunks(BLOCK)) {
        for (i, &x) in (start..).zip(encoding.keys(block, &mut keys)) {
            if worst.is_some_and(|worst| x <= worst) {
                continue;
            }
            order.push(i);
            if order.len() == room + k {
                order.select_nth_unstable_by(k - 1, larger);
                order.truncate(k);
                worst = Some(key(order[k - 1]));
            }
        }
    }
    if order.len() > k {
        order.select_nth_unstable_by(k - 1, larger);
        order.truncate(k);
    }
    order.sort_unstable_by(larger);
}

#[cfg(test)]
mod tests {
    use tfe_core::Tensor;

    use super::*;
    use crate::testing::run;

    #[test]
    fn ties_go_to_the_lower_index_and_selection_equals_sorting() {
        for k in [1, 3, 17, 200] {
            let row: Vec<u32> = (0..500).map(|i| (i * 7919) % 97).collect();
            let mut want: Vec<usize> = (0..row.len()).collect();
            want.sort_by_key(|&i| (std::cmp::Reverse(row[i]), i));
            let mut order = Vec::new();
            select(&row, Encoding::Unsigned, k, &mut order);
            assert_eq!(order, want[..k]);
        }
    }

    #[test]
    fn odd_sizes() {
        let top = |dims: &[i64], k: i64| {
            let n = dims.iter().product::<i64>();
            let x: Vec<f32> = (0..n)
                .map(|i| if i == 1 { f32::NAN } else { i as f32 })
                .collect();
            let attrs = [("Tk", DataType::Int64.into())];
            run(
                "TopKV2",
                &attrs,
                vec![Tensor::from_slice(dims, &x)?, Tensor::scalar(k)?],
            )
        };
        let out = top(&[4], 3).expect("a result");
        assert_eq!(out[1].as_slice::<i32>().expect("indices"), [1, 3, 2]);
        assert_eq!(top(&[2, 0], 0).expect("a result")[0].dims(), [2, 0]);
        assert_eq!(top(&[0, 3], 2).expect("a result")[0].dims(), [0, 2]);
        // All 64 bits of k count.
        for (dims, k) in [(&[4][..], 5), (&[4], -1), (&[], 0), (&[4], (1 << 32) + 1)] {
            let e = top(dims, k).expect_err("refused");
            assert_eq!(e.code(), tfe_core::Code::InvalidArgument);
        }
    }

    fn check<T: tfe_core::Element>(x: &[T], want: &[i32]) {
        let inputs = vec![
            Tensor::from_iter(&[x.len() as i64], x.iter().cloned()).expect("a tensor"),
            Tensor::scalar(x.len() as i32).expect("a tensor"),
        ];
        let out = run("TopKV2", &[], inputs).expect("a result");
        assert_eq!(out[1].as_slice::<i32>().expect("indices"), want);
    }

    #[test]
    fn every_type_has_its_order() {
        use tfe_core::{bf16, f16};

        check(&[0u8, 255, 7], &[1, 2, 0]);
        check(&[0i64, -1, i64::MIN, i64::MAX], &[3, 0, 1, 2]);
        let x = [
            -0.0,
            0.0,
            -1.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            1.0,
            -f64::NAN,
        ];
        let want = [5, 7, 3, 6, 0, 1, 2, 4];
        check(&x, &want);
        check(&x.map(|x| x as f32), &want);
        check(&x.map(f16::from_f64), &want);
        check(&x.map(bf16::from_f64), &want);
    }

    /// As in TensorFlow: denormals count as zeros, but those of half precision, which are normal in single precision.
    #[test]
    fn denormals_are_zeros() {
        use tfe_core::{bf16, f16};

        check(
            &[0.0f32, -1e-40, 1e-40, 3e-40, 1.0, -1.0],
            &[4, 0, 1, 2, 3, 5],
        );
        check(&[0.0f64, -1e-310, 1e-310, 3e-310, 1.0], &[4, 0, 1, 2, 3]);
        check(&[0, 0x20, 0x40, 0x3f80].map(bf16::from_bits), &[3, 0, 1, 2]);
        check(
            &[0.0, -1e-7, 1e-7, 3e-7, 1.0].map(f16::from_f32),
            &[4, 3, 2, 0, 1],
        );
    }

    #[test]
    fn an_empty_tensor_may_claim_any_number_of_columns() {
        let x = Tensor::from_slice::<f32>(&[0, 1 << 40], &[]).expect("a tensor");
        let k = Tensor::scalar(2i32).expect("a tensor");
        let out = run("TopKV2", &[], vec![x, k]).expect("nothing to select from");
        assert_eq!(out[0].dims(), [0, 2]);
        assert_eq!(out[1].dims(), [0, 2]);
    }
}
