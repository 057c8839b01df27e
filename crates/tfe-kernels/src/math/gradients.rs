//! Gradients of activations and roots: each a function of two tensors of one size, without broadcasting.

use tfe_core::{Complex128, DTypeSet, Result, ensure};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use tfe_host::broadcast::Broadcast;
use tfe_host::elementary::{SELU_SCALE, SELU_SCALED_ALPHA, leaky_alpha};
use tfe_host::elementwise::{self, Elementwise};
use tfe_host::function::{Closure, Function, choose, zip};
use tfe_host::number::{FIELD, Number};
use tfe_host::{complex, cost, elementary, rules};

const FLOAT: &[(&str, DTypeSet)] = &[("T", DTypeSet::FLOAT)];
const REAL: &[(&str, DTypeSet)] = &[("T", DTypeSet::REAL)];
const ALL: &[(&str, DTypeSet)] = &[("T", FIELD)];

pub(super) const KERNELS: &[KernelDef] = &[
    // Of the gradient and of what the activation saw, or gave.
    KernelDef::host(ops::RELU_GRAD, rules::alike, |init| {
        let function = function!(init.attrs.dtype("T")?, Real, |T| zip(|g: T, x: T| {
            // A product, so that a gradient that is no number shows.
            g.times(T::from_u8((x > T::default()).into()))
        }))?;
        Ok(elementwise::kernel(function, cost::DIVISION))
    })
    .of(REAL),
    KernelDef::host(ops::RELU6_GRAD, rules::alike, |init| {
        let function = function!(init.attrs.dtype("T")?, Real, |T| zip(|g: T, x: T| {
            g.times(T::from_u8((x > T::default() && x < T::from_u8(6)).into()))
        }))?;
        Ok(elementwise::kernel(function, cost::DIVISION))
    })
    .of(REAL),
    KernelDef::host(ops::LEAKY_RELU_GRAD, rules::alike, |init| {
        let alpha = leaky_alpha(init)?;
        let functions = [
            zip(move |g: f32, x: f32| if x > 0.0 { g } else { alpha * g }),
            zip(move |g: f64, x: f64| if x > 0.0 { g } else { f64::from(alpha) * g }),
        ];
        elementwise::chosen(init, functions, cost::DIVISION)
    })
    .of(FLOAT),
    KernelDef::host(ops::ELU_GRAD, rules::alike, |init| {
        let functions = [
            zip(|g: f32, y: f32| if y < 0.0 { g * (y + 1.0) } else { g }),
            zip(|g: f64, y: f64| if y < 0.0 { g * (y + 1.0) } else { g }),
        ];
        elementwise::chosen(init, functions, cost::DIVISION)
    })
    .of(FLOAT),
    KernelDef::host(ops::SELU_GRAD, rules::alike, |init| {
        let (scale, alpha) = (SELU_SCALE as f32, SELU_SCALED_ALPHA as f32);
        let functions = [
            zip(move |g: f32, y: f32| if y < 0.0 { g * (y + alpha) } else { g * scale }),
            zip(|g: f64, y: f64| {
                if y < 0.0 {
                    g * (y + SELU_SCALED_ALPHA)
                } else {
                    g * SELU_SCALE
                }
            }),
        ];
        elementwise::chosen(init, functions, cost::DIVISION)
    })
    .of(FLOAT),
    KernelDef::host(ops::SOFTPLUS_GRAD, rules::alike, |init| {
        let functions = [
            // A quotient: the sigmoid itself would be denormal first.
            zip(|g: f32, x: f32| g / (1.0 + elementary::exp(-x))),
            zip(|g: f64, x: f64| g / (1.0 + (-x).exp())),
        ];
        elementwise::chosen(init, functions, cost::DIVISION)
    })
    .of(FLOAT),
    KernelDef::host(ops::SOFTSIGN_GRAD, rules::alike, |init| {
        let functions = [
            zip(|g: f32, x: f32| g / ((1.0 + x.abs()) * (1.0 + x.abs()))),
            zip(|g: f64, x: f64| g / ((1.0 + x.abs()) * (1.0 + x.abs()))),
        ];
        elementwise::chosen(init, functions, cost::DIVISION)
    })
    .of(FLOAT),
    // Of what the function gave, and of the gradient.
    KernelDef::host(ops::SIGMOID_GRAD, rule, |init| {
        let function = function!(
            init.attrs.dtype("T")?,
            [Float, Double, Complex64, Complex128],
            |T| zip(|y: T, g: T| g.times(y).times(T::from_u8(1).minus(y)))
        )?;
        as_many(init, function)
    })
    .of(ALL),
    KernelDef::host(ops::TANH_GRAD, rule, |init| {
        let function = function!(
            init.attrs.dtype("T")?,
            [Float, Double, Complex64, Complex128],
            |T| zip(|y: T, g: T| g.times(T::from_u8(1).minus(y.times(y))))
        )?;
        as_many(init, function)
    })
    .of(ALL),
    KernelDef::host(ops::SQRT_GRAD, rule, |init| {
        let functions = [
            of_some(|y: f32, g: f32| 0.5 * g / y),
            of_some(|y: f64, g: f64| 0.5 * g / y),
            of_some(|y: Complex128, g| complex::div(g * 0.5, y.conj())),
        ];
        as_many(init, choose(init.attrs.dtype("T")?, functions)?)
    })
    .of(ALL),
    KernelDef::host(ops::RSQRT_GRAD, rule, |init| {
        let functions = [
            of_some(|y: f32, g: f32| -0.5 * (g * y) * (y * y)),
            of_some(|y: f64, g: f64| -0.5 * (g * y) * (y * y)),
            of_some(|y: Complex128, g: Complex128| -0.5 * (g * y.conj()) * (y * y).conj()),
        ];
        as_many(init, choose(init.attrs.dtype("T")?, functions)?)
    })
    .of(ALL),
    KernelDef::host(ops::RECIPROCAL_GRAD, rule, reciprocal).of(ALL),
    KernelDef::host(ops::INV_GRAD, rule, reciprocal).of(ALL),
];

fn reciprocal(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let functions = [
        of_some(|y: f32, g: f32| -y * g * y),
        of_some(|y: f64, g: f64| -y * g * y),
        of_some(|y: Complex128, g: Complex128| -y.conj() * g * y.conj()),
    ];
    as_many(init, choose(init.attrs.dtype("T")?, functions)?)
}

/// A gradient that is zero where the one it is made of is, whatever the function gave: there too, where the gradient is
/// infinite.
fn of_some<T: Number>(f: impl Fn(T, T) -> T + Closure) -> Function<2> {
    zip(move |y: T, g: T| {
        if g == T::default() {
            T::default()
        } else {
            f(y, g)
        }
    })
}

/// The shape of the first of two tensors of as many elements.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [y, dy] = op.inputs(["y", "dy"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        if let (Some(a), Some(b)) = (call.num_elements(y), call.num_elements(dy)) {
            ensure!(
                a == b,
                InvalidArgument,
                "The two arguments to a cwise op must have same number of elements, got {a} and {b}"
            );
        }
        call.set_like(0, y);
        Ok(())
    }))
}

/// A kernel of two tensors with as many elements, of which the first gives the shape.
fn as_many(init: &KernelInit<'_>, function: Function<2>) -> Result<Box<dyn Kernel>> {
    let kernel = Elementwise::new(function, cost::DIVISION);
    let y = init.input("y")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let shape = ctx.input(y).shape();
        let fitted = Broadcast::new([shape, shape])?;
        kernel.run(ctx, &fitted)
    }))
}
