//! `Roll`: the indices of some dimensions shifted, those that fall off at one end back in at the other.

use smallvec::{SmallVec, smallvec};
use tfe_core::{DTypeSet, DataType, Result, bail, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
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
    ..KernelDef::host(ops::ROLL, rule, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
]));

fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [input, shift, axis] = op.inputs(["input", "shift", "axis"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.at_least_rank(input, 1, || {
            err!(InvalidArgument, "input must be 1-D or higher")
        })?;
        for (i, name) in [(shift, "shift"), (axis, "axis")] {
            ensure!(
                call.rank(i).is_none_or(|rank| rank <= 1),
                InvalidArgument,
                "{name} must be a scalar or a 1-D vector. Found: {}",
                call.shown(i)
            );
        }
        ensure!(
            call.may_be_equal(shift, axis),
            InvalidArgument,
            "shift and axis must have the same size"
        );
        if let (Some(rank), Some(given)) = (call.rank(input), call.integers(axis)?) {
            for axis in given {
                if axes::normalize(axis, rank).is_none() {
                    let from_start = if axis < 0 {
                        axis.saturating_add_unsigned(rank as u64)
                    } else {
                        axis
                    };
                    bail!(InvalidArgument, "axis {from_start} is out of range");
                }
            }
        }
        call.set_like(0, input);
        Ok(())
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let [input, shift, axis] = init.inputs(["input", "shift", "axis"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(input);
        // By how much each dimension is shifted towards its end.
        let mut shifts: SmallVec<[usize; 8]> = SmallVec::from_elem(0, input.rank());
        let axes = axes::integers(ctx.input(axis))?;
        for (shift, axis) in axes::integers(ctx.input(shift))?.into_iter().zip(axes) {
            let axis = axes::from_start(axis, input.rank());
            let len = input.dims()[axis].max(1);
            shifts[axis] = ((shifts[axis] as i64 + shift.rem_euclid(len)) % len) as usize;
        }
        let strides = strided::strides(input.dims());
        let runs = shifts.iter().enumerate().map(|(i, &shift)| {
            let (len, step) = (input.shape().dim(i), strides[i]);
            let back = (len - shift) as isize * step;
            smallvec![Run::of(shift, back, step), Run::of(len - shift, 0, step)]
        });
        let out = moved(ctx, ctx.output(0)?, input, None, &Runs::new(runs))?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
