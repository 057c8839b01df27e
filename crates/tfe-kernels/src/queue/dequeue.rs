//! `QueueDequeueV2`, `QueueDequeueManyV2`, `QueueDequeueUpToV2`: one element, or many along a new first dimension.

use tfe_core::{
    DataType, Element, ResourceHandle, Result, Shape, TString, Tensor, Variant, bail,
    dispatch_width,
};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use super::enqueue::check_timeout;
use super::fifo::Tuple;
use super::resource::queue;
use tfe_host::owned::fill_owned;
use tfe_host::{Cursor, fill_words};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        host_inputs: &["handle"],
        ..KernelDef::cpu(ops::QUEUE_DEQUEUE_V2, one)
    },
    KernelDef {
        host_inputs: &["handle", "n"],
        ..KernelDef::cpu(ops::QUEUE_DEQUEUE_MANY_V2, many)
    },
    KernelDef {
        host_inputs: &["handle", "n"],
        ..KernelDef::cpu(ops::QUEUE_DEQUEUE_UP_TO_V2, up_to)
    },
];

fn one(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    check_timeout(init)?;
    let types = init.attrs.type_list("component_types")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let queue = queue(ctx)?;
        queue.check_types(&types)?;
        let element = queue.dequeue(1, false)?.swap_remove(0);
        for (i, component) in element.into_iter().enumerate() {
            ctx.set_output(i, component);
        }
        Ok(())
    }))
}

fn many(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    build_many(init, false)
}

fn up_to(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    build_many(init, true)
}

fn build_many(init: &KernelInit<'_>, or_fewer: bool) -> Result<Box<dyn Kernel>> {
    check_timeout(init)?;
    let types = init.attrs.type_list("component_types")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let queue = queue(ctx)?;
        queue.check_types(&types)?;
        let n = ctx.input(1).scalar_value::<i32>()?;
        let Ok(n) = usize::try_from(n) else {
            bail!(InvalidArgument, "DequeueManyOp requested {n} < 0 elements");
        };
        let Some(shapes) = &queue.signature.shapes else {
            bail!(
                InvalidArgument,
                "FIFOQueue's DequeueMany and DequeueUpTo require the components to have specified shapes."
            );
        };
        let elements = queue.dequeue(n, or_fewer)?;
        for (i, (&dtype, shape)) in types.iter().zip(shapes).enumerate() {
            let stacked = stack(ctx, dtype, shape, &elements, i)?;
            ctx.set_output(i, stacked);
        }
        Ok(())
    }))
}

/// Component `i` of the elements along a new first dimension.
fn stack(
    ctx: &KernelContext<'_>,
    dtype: DataType,
    shape: &Shape,
    elements: &[Tuple],
    i: usize,
) -> Result<Tensor> {
    let shape = Shape::new(&[&[elements.len() as i64], shape.dims()].concat())?;
    let parts = || elements.iter().map(|element| &element[i]);
    match dtype {
        DataType::String => stack_owned::<TString>(ctx, shape, parts()),
        DataType::Resource => stack_owned::<ResourceHandle>(ctx, shape, parts()),
        DataType::Variant => stack_owned::<Variant>(ctx, shape, parts()),
        _ => dispatch_width!(dtype.size(), |W| {
            fill_words::<W>(ctx.allocate(dtype, shape)?, |dst| {
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
    ctx: &KernelContext<'_>,
    shape: Shape,
    parts: impl Iterator<Item = &'a Tensor>,
) -> Result<Tensor> {
    let parts = parts
        .map(Tensor::as_slice::<T>)
        .collect::<Result<Vec<_>>>()?;
    fill_owned(ctx, shape, parts.into_iter().flatten().map(T::try_clone))
}
