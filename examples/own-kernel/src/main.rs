//! An op and a kernel of a program's own, from `tfe-eager` alone.
//!
//! The op is defined as TensorFlow defines its own, by an `OpDef`; the kernel is declared by a [`KernelDef`]: which op it
//! is for, what the op gives, and what makes the kernel. A context that is given both runs the op like any other, by name,
//! and in functions too. Both are gone with the context.
//!
//! Run it: `cargo run`.

use std::sync::Arc;

use tfe_eager::proto::tensorflow::OpDef;
use tfe_eager::proto::text;
use tfe_eager::{
    Context, Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, OpRegistry, Result,
    Rule, Tensor, TensorHandle, ensure,
};

/// A polynomial of every element. A name space before the name keeps it apart from TensorFlow's ops.
const POLYNOMIAL: &str = "
    name: 'Example>Polynomial'
    input_arg { name: 'x' type: DT_FLOAT }
    output_arg { name: 'y' type: DT_FLOAT }
    attr { name: 'coefficients' type: 'list(float)' has_minimum: true minimum: 1 }";

/// What the op gives: a tensor like its input.
fn rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        call.set_like(0, 0);
        Ok(())
    }))
}

/// Runs once for all calls with the same coefficients; the closure that it returns runs at each call.
fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let coefficients = init.attrs.float_list("coefficients")?.to_vec();
    ensure!(
        coefficients.iter().all(|c| c.is_finite()),
        InvalidArgument,
        "coefficients must be finite, got {coefficients:?}"
    );
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let x = ctx.input(0);
        let horner = |&x: &f32| coefficients.iter().fold(0.0, |sum, c| sum * x + c);
        let values = x.as_slice::<f32>()?.iter().map(horner);
        let y = Tensor::from_iter(x.shape().dims(), values)?;
        ctx.set_output(0, y);
        Ok(())
    }))
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let ops = OpRegistry::new();
    let polynomial = ops.register(&text::parse::<OpDef>(POLYNOMIAL)?)?;
    let kernel = KernelDef::host(polynomial, rule, build);
    let ctx = Context::builder()
        .ops(Arc::new(ops))
        .kernels([kernel])
        .build()?;

    let x = TensorHandle::from_slice(&[4], &[-1.0f32, 0.0, 1.0, 2.0])?;
    let polynomial = |coefficients: &[f32]| {
        let op = ctx.op("Example>Polynomial")?.input(&x)?;
        op.attr("coefficients", coefficients).run1()
    };
    let y = polynomial(&[1.0, 0.0, -2.0])?;
    assert_eq!(y.to_vec::<f32>()?, [-1.0, -2.0, -1.0, 2.0]);
    println!("x² - 2 of {x:?}\n    is {y:?}");
    let error = polynomial(&[f32::NAN]).expect_err("no polynomial");
    println!("and of what is no number: {error}");
    Ok(())
}
