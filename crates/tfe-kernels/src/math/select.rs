//! Selection: each element from one tensor or another, by a truth value.

use smallvec::SmallVec;
use tfe_core::{
    Code, Complex128, DTypeSet, DataType, Element, Plain, Result, Shape, bail, dispatch, ensure,
    err,
};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::broadcast::Broadcast;
use tfe_host::elementwise::Elementwise;
use tfe_host::function::Function;
use tfe_host::{cost, loops, rules};

const TYPES: &[(&str, DTypeSet)] = &[(
    "T",
    DTypeSet::NUMBER.union(DTypeSet::of(&[
        DataType::Bool,
        DataType::String,
        DataType::Resource,
        DataType::Variant,
    ])),
)];

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::SELECT, rule_by_rows, |init| build(init, true)).of(TYPES),
    KernelDef::host(ops::SELECT_V2, rule, |init| build(init, false)).of(TYPES),
];

/// The shapes broadcast.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [condition, a, b] = op.inputs(["condition", "t", "e"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        rules::broadcast_inputs(call).map_err(|e| match e.code() {
            Code::InvalidArgument => err!(
                InvalidArgument,
                "condition {}, then {}, and else {} must be broadcastable",
                call.shown(condition),
                call.shown(a),
                call.shown(b)
            ),
            _ => e,
        })
    }))
}

/// A condition for each element, for each row of the first dimension, or for all.
fn rule_by_rows(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [condition, a, b] = op.inputs(["condition", "t", "e"])?;
    let node = op.node_name.to_owned();
    Ok(Box::new(move |call: &mut Inference<'_>| {
        ensure!(
            call.may_be_equal(a, b),
            InvalidArgument,
            "'then' and 'else' must have the same size.  but received: {} vs. {}",
            call.shown(a),
            call.shown(b)
        );
        call.set_like(0, a);
        let (Some(conditions), Some(dims)) = (call.dims(condition), call.dims(a)) else {
            return Ok(());
        };
        if is_by_rows(conditions, dims) {
            let Some(&rows) = dims.first() else {
                bail!(
                    InvalidArgument,
                    "'then' must be at least a vector, but saw shape: {}",
                    call.shown(a)
                );
            };
            let wanted = conditions[0];
            ensure!(
                dim::merge(rows, wanted).is_some(),
                InvalidArgument,
                "Number of batches of 'then' must match size of 'cond', but saw: {rows} vs. {wanted}"
            );
            return Ok(());
        }
        ensure!(
            conditions.is_empty() || call.may_be_equal(condition, a),
            InvalidArgument,
            "Inputs to operation {node} of type Select must have the same size and shape.  Input 0: {} != input 1: {}",
            call.shown(condition),
            call.shown(a)
        );
        Ok(())
    }))
}

/// Whether a tensor of these conditions has one for each row of another.
fn is_by_rows(conditions: &[i64], dims: &[i64]) -> bool {
    conditions.len() == 1 && dims.len() != 1
}

fn build(init: &KernelInit<'_>, by_rows: bool) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    let inputs @ [condition, a, b] = init.inputs(["condition", "t", "e"])?;
    let select: Box<Select> = match dtype {
        DataType::String | DataType::Resource | DataType::Variant => {
            Box::new(move |ctx, fitted| {
                dispatch!(dtype, [String, Resource, Variant], |T| owned::<T>(
                    ctx, inputs, fitted
                ))
            })
        }
        _ => {
            let kernel = Elementwise::new(function(dtype), cost::ARITHMETIC);
            Box::new(move |ctx, fitted| kernel.run(ctx, fitted))
        }
    };
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        if let [is_first] = ctx.input(condition).as_slice::<bool>()? {
            let chosen = if *is_first { a } else { b };
            if ctx.input(chosen).shape() == ctx.output_shape(0)? {
                let whole = ctx.take_input(chosen);
                ctx.set_output(0, whole);
                return Ok(());
            }
        }
        let [conditions, a, b] = inputs.map(|i| ctx.input(i).shape());
        let fitted = if by_rows && is_by_rows(conditions.dims(), a.dims()) {
            let mut dims: SmallVec<[i64; 8]> = SmallVec::from_elem(1, a.rank());
            dims[0] = conditions.dims()[0];
            Broadcast::new([&Shape::new(&dims)?, a, b])
        } else {
            Broadcast::new([conditions, a, b])
        };
        select(ctx, &fitted?)
    }))
}

type Select = dyn Fn(&mut KernelContext<'_>, &Broadcast<3>) -> Result<()> + Send + Sync;

fn function(dtype: DataType) -> Function<3> {
    match dtype.size() {
        1 => of_words::<u8>(),
        2 => of_words::<u16>(),
        4 => of_words::<u32>(),
        8 => of_words::<u64>(),
        _ => of_words::<Complex128>(),
    }
    .giving(dtype)
}

fn of_words<W: Plain>() -> Function<3> {
    Function::new(W::DTYPE, W::DTYPE, |dst, [condition, a, b]| {
        let dst = loops::slots::<W>(dst);
        let n = dst.len();
        let (condition, a, b) = (
            &condition[..n],
            &loops::elements(a)[..n],
            &loops::elements(b)[..n],
        );
        loops::written(loops::tabulate(dst, |i| {
            if condition[i] != 0 { a[i] } else { b[i] }
        }))
    })
}

fn owned<T: Element>(
    ctx: &mut KernelContext<'_>,
    [condition, a, b]: [usize; 3],
    fitted: &Broadcast<3>,
) -> Result<()> {
    let condition = ctx.input(condition).as_slice::<bool>()?;
    let (a, b) = (ctx.input(a).as_slice::<T>()?, ctx.input(b).as_slice::<T>()?);
    let chosen = fitted.places().map(|[c, i, j]| {
        if condition[c] {
            a[i].try_clone()
        } else {
            b[j].try_clone()
        }
    });
    let out = ctx.output(0)?.try_fill_from(chosen)?;
    ctx.set_output(0, out);
    Ok(())
}
