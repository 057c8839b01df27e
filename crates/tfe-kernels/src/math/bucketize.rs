//! Bucketize: the interval between boundaries that each number lies in.

use tfe_core::{DTypeSet, DataType, Plain, Result, dispatch, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::rules;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES)],
    ..KernelDef::host(ops::BUCKETIZE, rules::like::<0>, build)
}];

const TYPES: DTypeSet = DTypeSet::of(&[
    DataType::Int32,
    DataType::Int64,
    DataType::Float,
    DataType::Double,
]);

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    // Bounded: an attribute, which is in memory already.
    let boundaries = init.attrs.float_list("boundaries")?.to_vec();
    ensure!(
        !boundaries.windows(2).any(|pair| pair[1] < pair[0]),
        InvalidArgument,
        "Expected sorted boundaries"
    );
    dispatch!(init.attrs.dtype("T")?, [Int32, Int64, Float, Double], |T| {
        Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
            bucketize::<T>(ctx, &boundaries)
        }))
    })
}

fn bucketize<T: Comparable>(ctx: &mut KernelContext<'_>, boundaries: &[f32]) -> Result<()> {
    // NaN is behind all boundaries.
    let bucket = |x: &T| boundaries.partition_point(|&b| !x.is_below(b)) as i32;
    let numbers = ctx.input(0).as_slice::<T>()?.iter();
    let out = ctx.output(0)?.fill_from(numbers.map(bucket))?;
    ctx.set_output(0, out);
    Ok(())
}

/// A number that is compared with `f32`: integers as such, as C compares them.
trait Comparable: Plain {
    fn is_below(&self, boundary: f32) -> bool;
}

impl Comparable for f32 {
    fn is_below(&self, boundary: f32) -> bool {
        *self < boundary
    }
}

impl Comparable for f64 {
    fn is_below(&self, boundary: f32) -> bool {
        *self < boundary.into()
    }
}

impl Comparable for i32 {
    fn is_below(&self, boundary: f32) -> bool {
        (*self as f32) < boundary
    }
}

impl Comparable for i64 {
    fn is_below(&self, boundary: f32) -> bool {
        (*self as f32) < boundary
    }
}
