//! `ArgMax` and `ArgMin`: where along an axis the largest and the smallest elements are, the first of equal ones. NaN is
//! passed over.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Plain, Result, Shape, Tensor, dispatch, ensure, err};
use tfe_device::{Device, Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::{axes, parallel, scratch_of};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[
            ("T", TYPES),
            (
                "output_type",
                DTypeSet::INDEX.union(DTypeSet::of(&[DataType::Int16, DataType::Uint16])),
            ),
        ],
        host_inputs: &["dimension"],
        ..KernelDef::cpu(ops::ARG_MAX, build_max)
    },
    KernelDef {
        types: &[("T", TYPES), ("output_type", DTypeSet::INDEX)],
        host_inputs: &["dimension"],
        ..KernelDef::cpu(ops::ARG_MIN, build_min)
    },
];

const TYPES: DTypeSet = DTypeSet::REAL.union(DTypeSet::of(&[DataType::Bool]));

macro_rules! find {
    ($dtype:expr, $better:expr) => {
        dispatch!(
            $dtype,
            [
                Half, Bfloat16, Float, Double, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32,
                Uint64, Bool
            ],
            |T| Ok((|device, input, middle, inner| {
                find::<T>(device, input, middle, inner, $better)
            }) as Find)
        )
    };
}

fn build_max(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(
        init,
        find!(init.attrs.dtype("T")?, |a, b| PartialOrd::gt(&a, &b))?,
    )
}

fn build_min(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(
        init,
        find!(init.attrs.dtype("T")?, |a, b| PartialOrd::lt(&a, &b))?,
    )
}

/// Finds indices along the middle one of three dimensions, given its size and that of the inner one.
type Find = fn(&dyn Device, &Tensor, usize, usize) -> Result<Vec<i64>>;

fn kernel(init: &KernelInit<'_>, find: Find) -> Result<Box<dyn Kernel>> {
    let output = init.attrs.dtype("output_type")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (input, axis) = (ctx.input(0), ctx.input(1));
        ensure!(
            axis.rank() == 0,
            InvalidArgument,
            "dim must be a scalar, but received tensor of shape: {}",
            axis.shape()
        );
        let (given, rank) = (axes::integers(axis)?[0], input.rank());
        let axis = axes::normalize(given, rank).ok_or_else(|| {
            err!(
                InvalidArgument,
                "Expected dimension in the range [{}, {rank}), but got {given}",
                -(rank as i64)
            )
        })?;
        let middle = input.shape().dim(axis);
        ensure!(
            middle > 0,
            InvalidArgument,
            "Reduction axis {axis} is empty in shape {}",
            input.shape()
        );
        let mut dims = SmallVec::<[i64; 8]>::from_slice(input.dims());
        let inner = dims[axis + 1..].iter().product::<i64>() as usize;
        dims.remove(axis);
        let found = find(ctx.device(), input, middle, inner)?;
        let out = axes::tensor(ctx, output, Shape::new(&dims)?, &found)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn find<T: Plain + PartialOrd>(
    device: &dyn Device,
    input: &Tensor,
    middle: usize,
    inner: usize,
    better: impl Fn(T, T) -> bool + Sync,
) -> Result<Vec<i64>> {
    let source = input.as_slice::<T>()?;
    let mut found = scratch_of(0, source.len() / middle)?;
    // Columns are taken a piece at a time, so that their best elements stay in the first-level cache.
    let width = inner.clamp(1, 512);
    let ns = 0.8 * middle as f64;
    let piece = parallel::piece_len(device, found.len(), ns);
    parallel::for_pieces(device, &mut found, piece, &|start, found| {
        if inner == 1 {
            for (i, found) in found.iter_mut().enumerate() {
                *found = best(&source[(start + i) * middle..][..middle], &better) as i64;
            }
            return;
        }
        let mut done = 0;
        while done < found.len() {
            let (outer, column) = ((start + done) / inner, (start + done) % inner);
            let n = width.min(inner - column).min(found.len() - done);
            let columns = &source[outer * middle * inner + column..];
            best_of_columns(
                &mut found[done..done + n],
                columns,
                [middle, inner],
                &better,
            );
            done += n;
        }
    });
    Ok(found)
}

/// Whether a value has a place in the order.
fn is_ordered<T: PartialOrd>(x: &T) -> bool {
    x.partial_cmp(x).is_some()
}

fn best<T: Copy + PartialOrd>(row: &[T], better: impl Fn(T, T) -> bool) -> usize {
    let mut best = row.iter().position(is_ordered).unwrap_or(0);
    for (i, &x) in row.iter().enumerate().skip(best + 1) {
        if better(x, row[best]) {
            best = i;
        }
    }
    best
}

/// The best rows of some columns of a matrix of that many rows, of which `source` begins with the first. Rows begin
/// `stride` elements apart.
fn best_of_columns<T: Copy + PartialOrd>(
    found: &mut [i64],
    source: &[T],
    [rows, stride]: [usize; 2],
    better: impl Fn(T, T) -> bool,
) {
    let n = found.len();
    let mut values: SmallVec<[T; 512]> = SmallVec::from_slice(&source[..n]);
    for i in 1..rows {
        let row = &source[i * stride..][..n];
        for ((found, best), &x) in found.iter_mut().zip(&mut values).zip(row) {
            if better(x, *best) || (!is_ordered(best) && is_ordered(&x)) {
                *best = x;
                *found = i as i64;
            }
        }
    }
}
