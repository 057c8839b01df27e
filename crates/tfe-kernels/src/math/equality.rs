//! Equality of the elements of two broadcast tensors, of any type.

use tfe_core::{Code, DTypeSet, DataType, Result, TString};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::broadcast::Broadcast;
use tfe_host::function::{Function, compare};
use tfe_host::{cost, elementwise, fill, loops, narrow, rules};

const TYPES: &[(&str, DTypeSet)] = &[(
    "T",
    DTypeSet::NUMBER
        .union(narrow::QUANTIZED)
        .union(DTypeSet::of(&[DataType::Bool, DataType::String])),
)];

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::EQUAL, rule, |init| build(init, true)).of(TYPES),
    KernelDef::host(ops::NOT_EQUAL, rule, |init| build(init, false)).of(TYPES),
];

/// The shapes broadcast. Shapes that do not fit may be no error: such tensors are unlike as a whole.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    if op.attrs.bool("incompatible_shape_error")? {
        return rules::broadcast(op);
    }
    Ok(Box::new(|call: &mut Inference<'_>| {
        let is_known = |i| {
            call.dims(i)
                .is_some_and(|dims| !dims.contains(&dim::UNKNOWN))
        };
        if !is_known(0) || !is_known(1) {
            return Ok(());
        }
        match rules::broadcast_inputs(call) {
            Err(e) if e.code() == Code::InvalidArgument => {
                call.set_scalar(0);
                Ok(())
            }
            done => done,
        }
    }))
}

/// The kernel that tells whether elements are equal, or that they are not.
fn build(init: &KernelInit<'_>, equal: bool) -> Result<Box<dyn Kernel>> {
    let inputs = init.inputs(["x", "y"])?;
    let kernel = match init.attrs.dtype("T")? {
        DataType::String => {
            Box::new(move |ctx: &mut KernelContext<'_>| strings(ctx, inputs, equal)) as _
        }
        dtype => elementwise::kernel(function(dtype, equal)?, cost::ARITHMETIC),
    };
    if init.attrs.bool("incompatible_shape_error")? {
        return Ok(kernel);
    }
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        if Broadcast::new(inputs.map(|i| ctx.input(i).shape())).is_ok() {
            return kernel.compute(ctx);
        }
        let out = fill(ctx.output(0)?, |dst| Ok(loops::repeat(dst, !equal)))?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn function(dtype: DataType, equal: bool) -> Result<Function<2>> {
    let stored = match dtype {
        DataType::Bool => DataType::Uint8,
        _ => narrow::source(dtype),
    };
    if equal {
        function!(stored, Number, |T| compare(|a: T, b: T| a == b))
    } else {
        function!(stored, Number, |T| compare(|a: T, b: T| a != b))
    }
}

fn strings(ctx: &mut KernelContext<'_>, inputs: [usize; 2], equal: bool) -> Result<()> {
    let [a, b] = inputs.map(|i| ctx.input(i));
    let fitted = Broadcast::new([a.shape(), b.shape()])?;
    let (a, b) = (a.as_slice::<TString>()?, b.as_slice::<TString>()?);
    let compared = fitted
        .places()
        .map(|[i, j]| (a[i].as_bytes() == b[j].as_bytes()) == equal);
    let out = ctx.output(0)?.fill_from(compared)?;
    ctx.set_output(0, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use tfe_core::Tensor;

    use crate::testing::run;

    #[test]
    fn tensors_that_do_not_fit_are_unlike_as_a_whole() {
        let compared = |op, strict: bool, n: i64| {
            let attrs = [("incompatible_shape_error", strict.into())];
            let x = Tensor::from_iter(&[n], 0..n as i32)?;
            run(op, &attrs, vec![Tensor::vector(&[0i32, 7])?, x])
        };
        for (op, unlike) in [("Equal", false), ("NotEqual", true)] {
            let out = compared(op, false, 3).expect("a scalar");
            assert_eq!(out[0].scalar_value::<bool>().expect("a bool"), unlike);
            let out = compared(op, false, 2).expect("a vector");
            assert_eq!(out[0].as_slice::<bool>().expect("bools"), [!unlike, unlike]);
            assert!(compared(op, true, 3).is_err());
        }
    }
}
