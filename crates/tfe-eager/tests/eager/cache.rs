//! The kernel cache: what it keeps and how much.

use std::sync::atomic::{AtomicI32, Ordering};

use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_eager::{Context, ContextOptions, DataType, Result, Tensor, TensorHandle};
use tfe_ops::ops;

use crate::world::floats;

fn context(cached_kernels: usize, cached_kernel_bytes: usize) -> Context {
    let options = ContextOptions {
        cached_kernels,
        cached_kernel_bytes,
        ..ContextOptions::default()
    };
    Context::builder()
        .options(options)
        .build()
        .expect("a context")
}

/// The result of a `Const`, whose kernel holds the value.
fn constant(ctx: &Context, value: &Tensor) -> TensorHandle {
    let op = ctx.op("Const").expect("Const");
    let op = op.attr("dtype", DataType::Float);
    op.attr("value", value.clone()).run1().expect("a value")
}

/// How many of the values are held by kernels after a `Const` of each.
fn held(ctx: &Context, values: &[Tensor]) -> usize {
    values.iter().for_each(|value| drop(constant(ctx, value)));
    let is_held = |value: &&Tensor| !value.buffer().is_unique();
    values.iter().filter(is_held).count()
}

/// Values of that many bytes.
fn values(count: usize, bytes: usize) -> Vec<Tensor> {
    let value = |i: usize| Tensor::vector(&vec![i as f32; bytes / 4]).expect("memory");
    (0..count).map(value).collect()
}

#[test]
fn what_kernels_hold_is_bounded() {
    let big = values(300, 100_000);
    // Those of the front cache are small.
    assert_eq!(held(&context(10_000, 2_000_000), &big), 20);
    assert_eq!(held(&context(7, 2_000_000), &big), 7);
    // What would take the place of all others is not kept at all, and takes no place.
    let ctx = context(10_000, 99_000);
    assert_eq!(held(&ctx, &values(3, 30_000)), 3);
    assert_eq!(held(&ctx, &big), 0);
    assert_eq!(ctx.cached_kernels(), 3);
    // By default some tens of MB.
    let kept = held(&Context::new().expect("a context"), &values(1000, 100_000));
    assert!((100..640).contains(&kept), "{kept}");
}

#[test]
fn all_goes_when_the_cache_is_cleared() {
    let ctx = context(10_000, 1 << 20);
    let few = values(5, 100_000);
    assert_eq!(held(&ctx, &few), 5);
    ctx.clear_caches();
    assert!(few.iter().all(|value| value.buffer().is_unique()));
    assert_eq!(held(&ctx, &few), 5);
}

/// A kernel that says how often it ran.
static COUNTING: KernelDef = KernelDef {
    keeps_state: true,
    ..KernelDef::on("CPU", ops::RANDOM_UNIFORM, counting)
};

fn counting(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let runs = AtomicI32::new(0);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let run = runs.fetch_add(1, Ordering::Relaxed);
        ctx.set_output(0, Tensor::scalar(run as f32)?);
        Ok(())
    }))
}

#[test]
fn a_kernel_that_keeps_state_stays() {
    let options = ContextOptions {
        cached_kernels: 1,
        cached_kernel_bytes: 0,
        ..ContextOptions::default()
    };
    let ctx = Context::builder().options(options).kernels([&COUNTING]);
    let ctx = ctx.build().expect("a context");
    for run in 0..3 {
        let shape = TensorHandle::from_slice(&[0], &[] as &[i32]).expect("a shape");
        let op = ctx.op("RandomUniform").and_then(|op| op.input(&shape));
        let drawn = op.expect("a call").attr("dtype", DataType::Float).run1();
        assert_eq!(floats(&drawn.expect("a number")), [run as f32]);
        // Others come by, some of them in its slot of the front cache.
        held(&ctx, &values(300, 4));
    }
}
