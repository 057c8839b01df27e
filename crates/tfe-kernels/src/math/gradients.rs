//! Gradients of activations and roots: each a function of two tensors of one size, without broadcasting.

use tfe_core::{Complex128, DTypeSet, Result, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::soft::{SCALE, SCALED_ALPHA};
use tfe_host::broadcast::Broadcast;
use tfe_host::elementwise::Elementwise;
use tfe_host::function::{Closure, Function, choose, zip};
use tfe_host::number::{FIELD, Number};
use tfe_host::{complex, elementary};

const FLOAT: &[(&str, DTypeSet)] = &[("T", DTypeSet::FLOAT)];
const REAL: &[(&str, DTypeSet)] = &[("T", DTypeSet::REAL)];
const ALL: &[(&str, DTypeSet)] = &[("T", FIELD)];

pub(super) const KERNELS: &[KernelDef] = &[
    // Of the gradient and of what the activation saw, or gave.
    KernelDef::cpu(ops::RELU_GRAD, |init| {
        let function = function!(init.attrs.dtype("T")?, Real, |T| zip(|g: T, x: T| {
            // A product, so that a gradient that is no number shows.
            g.times(T::from_u8((x > T::default()).into()))
        }))?;
        alike(init, function)
    })
    .of(REAL),
    KernelDef::cpu(ops::RELU6_GRAD, |init| {
        let function = function!(init.attrs.dtype("T")?, Real, |T| zip(|g: T, x: T| {
            g.times(T::from_u8((x > T::default() && x < T::from_u8(6)).into()))
        }))?;
        alike(init, function)
    })
    .of(REAL),
    KernelDef::cpu(ops::LEAKY_RELU_GRAD, |init| {
        let alpha = super::relu::alpha(init)?;
        let functions = [
            zip(move |g: f32, x: f32| if x > 0.0 { g } else { alpha * g }),
            zip(move |g: f64, x: f64| if x > 0.0 { g } else { f64::from(alpha) * g }),
        ];
        alike(init, choose(init.attrs.dtype("T")?, functions)?)
    })
    .of(FLOAT),
    KernelDef::cpu(ops::ELU_GRAD, |init| {
        let functions = [
            zip(|g: f32, y: f32| if y < 0.0 { g * (y + 1.0) } else { g }),
            zip(|g: f64, y: f64| if y < 0.0 { g * (y + 1.0) } else { g }),
        ];
        alike(init, choose(init.attrs.dtype("T")?, functions)?)
    })
    .of(FLOAT),
    KernelDef::cpu(ops::SELU_GRAD, |init| {
        let (scale, alpha) = (SCALE as f32, SCALED_ALPHA as f32);
        let functions = [
            zip(move |g: f32, y: f32| if y < 0.0 { g * (y + alpha) } else { g * scale }),
            zip(|g: f64, y: f64| {
                if y < 0.0 {
                    g * (y + SCALED_ALPHA)
                } else {
                    g * SCALE
                }
            }),
        ];
        alike(init, choose(init.attrs.dtype("T")?, functions)?)
    })
    .of(FLOAT),
    KernelDef::cpu(ops::SOFTPLUS_GRAD, |init| {
        let functions = [
            // A quotient: the sigmoid itself would be denormal first.
            zip(|g: f32, x: f32| g / (1.0 + elementary::exp(-x))),
            zip(|g: f64, x: f64| g / (1.0 + (-x).exp())),
        ];
        alike(init, choose(init.attrs.dtype("T")?, functions)?)
    })
    .of(FLOAT),
    KernelDef::cpu(ops::SOFTSIGN_GRAD, |init| {
        let functions = [
            zip(|g: f32, x: f32| g / ((1.0 + x.abs()) * (1.0 + x.abs()))),
            zip(|g: f64, x: f64| g / ((1.0 + x.abs()) * (1.0 + x.abs()))),
        ];
        alike(init, choose(init.attrs.dtype("T")?, functions)?)
    })
    .of(FLOAT),
    // Of what the function gave, and of the gradient.
    KernelDef::cpu(ops::SIGMOID_GRAD, |init| {
        let function = function!(
            init.attrs.dtype("T")?,
            [Float, Double, Complex64, Complex128],
            |T| zip(|y: T, g: T| g.times(y).times(T::from_u8(1).minus(y)))
        )?;
        as_many(function)
    })
    .of(ALL),
    KernelDef::cpu(ops::TANH_GRAD, |init| {
        let function = function!(
            init.attrs.dtype("T")?,
            [Float, Double, Complex64, Complex128],
            |T| zip(|y: T, g: T| g.times(T::from_u8(1).minus(y.times(y))))
        )?;
        as_many(function)
    })
    .of(ALL),
    KernelDef::cpu(ops::SQRT_GRAD, |init| {
        let functions = [
            of_some(|y: f32, g: f32| 0.5 * g / y),
            of_some(|y: f64, g: f64| 0.5 * g / y),
            of_some(|y: Complex128, g| complex::div(g * 0.5, y.conj())),
        ];
        as_many(choose(init.attrs.dtype("T")?, functions)?)
    })
    .of(ALL),
    KernelDef::cpu(ops::RSQRT_GRAD, |init| {
        let functions = [
            of_some(|y: f32, g: f32| -0.5 * (g * y) * (y * y)),
            of_some(|y: f64, g: f64| -0.5 * (g * y) * (y * y)),
            of_some(|y: Complex128, g: Complex128| -0.5 * (g * y.conj()) * (y * y).conj()),
        ];
        as_many(choose(init.attrs.dtype("T")?, functions)?)
    })
    .of(ALL),
    KernelDef::cpu(ops::RECIPROCAL_GRAD, reciprocal).of(ALL),
    KernelDef::cpu(ops::INV_GRAD, reciprocal).of(ALL),
];

fn reciprocal(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let functions = [
        of_some(|y: f32, g: f32| -y * g * y),
        of_some(|y: f64, g: f64| -y * g * y),
        of_some(|y: Complex128, g: Complex128| -y.conj() * g * y.conj()),
    ];
    as_many(choose(init.attrs.dtype("T")?, functions)?)
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

/// A kernel of two tensors of one shape.
fn alike(init: &KernelInit<'_>, function: Function<2>) -> Result<Box<dyn Kernel>> {
    let (op, node) = (init.spec.name().to_owned(), init.node_name.to_owned());
    let kernel = Elementwise::new(function, 0.5);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (a, b) = (ctx.input(0).shape(), ctx.input(1).shape());
        ensure!(
            a == b,
            InvalidArgument,
            "Inputs to operation {node} of type {op} must have the same size and shape.  Input 0: {a} != input 1: {b}"
        );
        let fitted = Broadcast::new([a, a])?;
        kernel.run(ctx, &fitted)
    }))
}

/// A kernel of two tensors with as many elements, of which the first gives the shape.
fn as_many(function: Function<2>) -> Result<Box<dyn Kernel>> {
    let kernel = Elementwise::new(function, 0.5);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (a, b) = (ctx.input(0), ctx.input(1));
        ensure!(
            a.num_elements() == b.num_elements(),
            InvalidArgument,
            "The two arguments to a cwise op must have same number of elements, got {} and {}",
            a.num_elements(),
            b.num_elements()
        );
        let fitted = Broadcast::new([a.shape(), a.shape()])?;
        kernel.run(ctx, &fitted)
    }))
}
