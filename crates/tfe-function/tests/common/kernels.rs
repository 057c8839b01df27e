//! Kernels for tests: of real ops, simple and slow, and of ops that tell what happens.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

use tfe_core::{DataType, Result, Tensor};
use tfe_device::{
    Inference, Kernel, KernelContext, KernelDef, KernelInit, KernelRef, OpInit, Rule,
};
use tfe_ops::{OpId, OpRegistry, ops};
use tfe_proto::tensorflow::OpDef;
use tfe_proto::tensorflow::op_def::{ArgDef, AttrDef};

thread_local! {
    /// What `Test>Log` nodes wrote down on this thread.
    static LOG: RefCell<Vec<i64>> = const { RefCell::new(Vec::new()) };
}

/// Takes what was written down.
pub(crate) fn take_log() -> Vec<i64> {
    LOG.take()
}

/// Registers the ops that only tests have: `Test>Log` (writes a number down and passes its input on; has effects),
/// `Test>Note` (the same without effects, as far as anybody is told), and `Test>Count` (adds how often it has run).
pub(crate) fn register_ops(ops: &OpRegistry) {
    for (name, is_stateful) in [
        ("Test>Log", true),
        ("Test>Note", false),
        ("Test>Count", true),
    ] {
        let arg = |name: &str| ArgDef {
            name: name.to_owned(),
            r#type: DataType::Float.number(),
            ..ArgDef::default()
        };
        let id = AttrDef {
            name: "id".to_owned(),
            r#type: "int".to_owned(),
            ..AttrDef::default()
        };
        ops.register(&OpDef {
            name: name.to_owned(),
            input_arg: vec![arg("x")],
            output_arg: vec![arg("y")],
            attr: vec![id],
            is_stateful,
            ..OpDef::default()
        })
        .expect("a good definition");
    }
}

/// The kernels of tfe-kernels and of this file.
pub(crate) fn all(ops: &OpRegistry) -> Vec<KernelRef> {
    let own = [
        KernelDef::host(ops::NEG, like_input, neg),
        KernelDef::on("CPU", ops::SPLIT, split),
        KernelDef::on("CPU", ops::ADD_N, add_n),
        KernelDef::on("CPU", ops::IDENTITY_N, pass_on),
        KernelDef::on("CPU", ops::PARTITIONED_CALL, partitioned_call),
        KernelDef::on("CPU", ops::STATEFUL_PARTITIONED_CALL, partitioned_call),
    ];
    let id = |name: &str| -> OpId { ops.lookup(name).expect("registered").id() };
    let told = ["Test>Log", "Test>Note"].map(|name| KernelDef::on("CPU", id(name), log));
    let count = KernelDef {
        keeps_state: true,
        ..KernelDef::on("CPU", id("Test>Count"), count)
    };
    let own = own.into_iter().chain(told).chain([count]);
    let own = own.map(KernelRef::from);
    tfe_kernels::all().map(KernelRef::from).chain(own).collect()
}

fn kernel(
    f: impl Fn(&mut KernelContext<'_>) -> Result<()> + Send + Sync + 'static,
) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(f))
}

fn values(t: &Tensor) -> Result<&[f32]> {
    t.as_slice::<f32>()
}

fn like_input(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        call.set_like(0, 0);
        Ok(())
    }))
}

fn neg(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        if let Some((_, mut own)) = ctx.forward(0, &[0])
            && let Some(values) = own.as_mut_slice::<f32>()
        {
            values.iter_mut().for_each(|v| *v = -*v);
            ctx.set_output(0, own);
            return Ok(());
        }
        let out = ctx.output(0)?;
        let out = out.fill_from(values(ctx.input(0))?.iter().map(|v| -v))?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// Along the first axis only.
fn split(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let parts = init.attrs.int("num_split")? as usize;
    kernel(move |ctx| {
        let rows = ctx.input(1).shape().dim(0) / parts;
        for i in 0..parts {
            let part = ctx.input(1).rows(i * rows, (i + 1) * rows)?;
            ctx.set_output(i, part);
        }
        Ok(())
    })
}

fn add_n(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let mut sums = vec![0.0; ctx.input(0).num_elements()];
        for i in 0..ctx.num_inputs() {
            for (sum, v) in sums.iter_mut().zip(values(ctx.input(i))?) {
                *sum += v;
            }
        }
        let out = Tensor::from_slice(ctx.input(0).dims(), &sums)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn pass_on(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        for i in 0..ctx.num_inputs() {
            let input = ctx.take_input(i);
            ctx.set_output(i, input);
        }
        Ok(())
    })
}

/// Calls its function; made when it is made itself.
fn partitioned_call(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let callee = init
        .functions
        .instantiate(init.attrs.func("f")?, init.device)?;
    kernel(move |ctx| callee.compute(ctx))
}

fn log(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let id = init.attrs.int("id")?;
    kernel(move |ctx| {
        LOG.with_borrow_mut(|log| log.push(id));
        let input = ctx.take_input(0);
        ctx.set_output(0, input);
        Ok(())
    })
}

fn count(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let runs = AtomicU32::new(0);
    kernel(move |ctx| {
        let n = runs.fetch_add(1, Ordering::Relaxed) as f32;
        let sum = ctx.input(0).scalar_value::<f32>()? + n;
        ctx.set_output(0, Tensor::scalar(sum)?);
        Ok(())
    })
}
