//! `Roll`: the indices of some dimensions shifted, those that fall off at one end back in at the other.

use smallvec::{SmallVec, smallvec};
use tfe_core::{DTypeSet, DataType, Result, bail, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::movement::moved;
use tfe_host::segmented_copy::{Run, Runs};
use tfe_host::strided;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[
        ("T", TYPES),
        ("Tshift", DTypeSet::INDEX),
        ("Taxis", DTypeSet::INDEX),
    ],
    host_inputs: &["shift", "axis"],
    ..KernelDef::cpu(ops::ROLL, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
]));

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let shifts = shifts(ctx)?;
        let strides = strided::strides(input.dims());
        let runs = shifts.iter().enumerate().map(|(i, &shift)| {
            let (len, step) = (input.shape().dim(i), strides[i]);
            let back = (len - shift) as isize * step;
            smallvec![Run::of(shift, back, step), Run::of(len - shift, 0, step)]
        });
        let out = moved(
            ctx,
            ctx.allocate(input.dtype(), input.shape().clone())?,
            input,
            None,
            &Runs::new(runs),
        )?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// By how much each dimension is shifted towards its end.
fn shifts(ctx: &KernelContext<'_>) -> Result<SmallVec<[usize; 8]>> {
    let (input, shift, axis) = (ctx.input(0), ctx.input(1), ctx.input(2));
    ensure!(
        input.rank() >= 1,
        InvalidArgument,
        "input must be 1-D or higher"
    );
    for (tensor, name) in [(shift, "shift"), (axis, "axis")] {
        ensure!(
            tensor.rank() <= 1,
            InvalidArgument,
            "{name} must be a scalar or a 1-D vector. Found: {}",
            tensor.shape()
        );
    }
    ensure!(
        shift.shape() == axis.shape(),
        InvalidArgument,
        "shift and axis must have the same size"
    );
    let mut shifts: SmallVec<[usize; 8]> = SmallVec::from_elem(0, input.rank());
    for (shift, given) in axes::integers(shift)?
        .into_iter()
        .zip(axes::integers(axis)?)
    {
        let Some(axis) = axes::normalize(given, input.rank()) else {
            let given = if given < 0 {
                given.saturating_add_unsigned(input.rank() as u64)
            } else {
                given
            };
            bail!(InvalidArgument, "axis {given} is out of range");
        };
        let len = input.dims()[axis].max(1);
        shifts[axis] = ((shifts[axis] as i64 + shift.rem_euclid(len)) % len) as usize;
    }
    Ok(shifts)
}
