//! `QueueDequeueV2`, `QueueDequeueManyV2`, `QueueDequeueUpToV2`: one element, or many along a new first dimension.

use tfe_core::{
    DataType, Element, ResourceHandle, Result, Shape, TString, Tensor, TensorUninit, Variant, bail,
    dispatch_width,
};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule};
use tfe_ops::ops;

use super::enqueue::check_timeout;
use super::fifo::Tuple;
use super::resource::queue;
use tfe_host::{Cursor, fill_words, scratch};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        host_inputs: &["handle"],
        blocks: true,
        ..KernelDef::host(ops::QUEUE_DEQUEUE_V2, rule, one)
    },
    KernelDef {
        host_inputs: &["handle", "n"],
        blocks: true,
        ..KernelDef::host(ops::QUEUE_DEQUEUE_MANY_V2, rule, |init| many(init, false))
    },
    KernelDef {
        host_inputs: &["handle", "n"],
        blocks: true,
        ..KernelDef::host(ops::QUEUE_DEQUEUE_UP_TO_V2, rule, |init| many(init, true))
    },
];

/// The queue knows the shapes, if anything does.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    check_timeout(op)?;
    Ok(Box::new(|_: &mut Inference<'_>| Ok(())))
}

fn one(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let types = init.attrs.type_list("component_types")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let queue = queue(ctx)?;
        queue.check_types(&types)?;
        let element = queue.dequeue(1, false, ctx.cancellation())?.swap_remove(0);
        for (i, component) in element.into_iter().enumerate() {
            ctx.set_output(i, component);
        }
        Ok(())
    }))
}

fn many(init: &KernelInit<'_>, or_fewer: bool) -> Result<Box<dyn Kernel>> {
    let (types, n) = (init.attrs.type_list("component_types")?, init.input("n")?);
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let queue = queue(ctx)?;
        queue.check_types(&types)?;
        let n = ctx.input(n).scalar_value::<i32>()?;
        let Ok(n) = usize::try_from(n) else {
            bail!(InvalidArgument, "DequeueManyOp requested {n} < 0 elements");
        };
        let Some(shapes) = &queue.signature.shapes else {
            bail!(
                InvalidArgument,
                "FIFOQueue's DequeueMany and DequeueUpTo require the components to have specified shapes."
            );
        };
        let elements = queue.dequeue(n, or_fewer, ctx.cancellation())?;
        for (i, shape) in shapes.iter().enumerate() {
            let stacked = stack(ctx, shape, &elements, i)?;
            ctx.set_output(i, stacked);
        }
        Ok(())
    }))
}

/// Component `i` of the elements along a new first dimension.
fn stack(ctx: &KernelContext<'_>, shape: &Shape, elements: &[Tuple], i: usize) -> Result<Tensor> {
    let shape = Shape::new(&[&[elements.len() as i64], shape.dims()].concat())?;
    let out = ctx.output_of(i, shape)?;
    let parts = || elements.iter().map(|element| &element[i]);
    match ctx.output_dtype(i) {
        DataType::String => stack_owned::<TString>(out, parts()),
        DataType::Resource => stack_owned::<ResourceHandle>(out, parts()),
        DataType::Variant => stack_owned::<Variant>(out, parts()),
        plain => dispatch_width!(plain.size(), |W| {
            fill_words::<W>(out, |dst| {
                let mut out = Cursor::new(dst);
                for part in parts() {
                    out.copy(part.as_words::<W>()?);
                }
                out.finish()
            })
        }),
    }
}

fn stack_owned<'a, T: Element>(
    out: TensorUninit,
    parts: impl ExactSizeIterator<Item = &'a Tensor>,
) -> Result<Tensor> {
    let mut slices = scratch(parts.len())?;
    for part in parts {
        slices.push(part.as_slice::<T>()?);
    }
    out.try_fill_from(slices.into_iter().flatten().map(T::try_clone))
}
