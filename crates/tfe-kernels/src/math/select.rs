//! Selection: each element from one tensor or another, by a truth value.

use tfe_core::{
    Complex128, DTypeSet, DataType, Element, Plain, Result, Shape, bail, dispatch, ensure, err,
};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::broadcast::Broadcast;
use tfe_host::elementwise::Elementwise;
use tfe_host::function::Function;
use tfe_host::loops;
use tfe_host::owned::fill_owned;

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
    KernelDef::cpu(ops::SELECT, |init| build(init, by_rows)).of(TYPES),
    KernelDef::cpu(ops::SELECT_V2, |init| build(init, broadcast)).of(TYPES),
];

/// How condition, first and second tensor fit together, for a node of that name.
type Fit = fn(&str, [&Shape; 3]) -> Result<Broadcast<3>>;

fn build(init: &KernelInit<'_>, fit: Fit) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    let node = init.node_name.to_owned();
    let select: Box<Select> = match dtype {
        DataType::String | DataType::Resource | DataType::Variant => {
            Box::new(move |ctx, fitted| {
                dispatch!(dtype, [String, Resource, Variant], |T| owned::<T>(
                    ctx, fitted
                ))
            })
        }
        _ => {
            let kernel = Elementwise::new(function(dtype), 0.3);
            Box::new(move |ctx, fitted| kernel.run(ctx, fitted))
        }
    };
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let fitted = fit(&node, [0, 1, 2].map(|k| ctx.input(k).shape()))?;
        if let [condition] = ctx.input(0).as_slice::<bool>()? {
            let chosen = if *condition { 1 } else { 2 };
            if ctx.input(chosen).shape() == &fitted.shape {
                let whole = ctx.take_input(chosen);
                ctx.set_output(0, whole);
                return Ok(());
            }
        }
        select(ctx, &fitted)
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

fn owned<T: Element>(ctx: &mut KernelContext<'_>, fitted: &Broadcast<3>) -> Result<()> {
    let condition = ctx.input(0).as_slice::<bool>()?;
    let (a, b) = (ctx.input(1).as_slice::<T>()?, ctx.input(2).as_slice::<T>()?);
    let chosen = fitted.places().map(|[c, i, j]| {
        if condition[c] {
            a[i].try_clone()
        } else {
            b[j].try_clone()
        }
    });
    let out = fill_owned(ctx, fitted.shape.clone(), chosen)?;
    ctx.set_output(0, out);
    Ok(())
}

fn broadcast(_: &str, shapes: [&Shape; 3]) -> Result<Broadcast<3>> {
    let [condition, a, b] = shapes;
    Broadcast::new(shapes).map_err(|_| {
        err!(
            InvalidArgument,
            "condition {condition}, then {a}, and else {b} must be broadcastable"
        )
    })?;
    Broadcast::new(shapes)
}

/// A condition for each element, for each row of the first dimension, or for all.
fn by_rows(node: &str, [condition, a, b]: [&Shape; 3]) -> Result<Broadcast<3>> {
    ensure!(
        a == b,
        InvalidArgument,
        "'then' and 'else' must have the same size.  but received: {a} vs. {b}"
    );
    if condition.rank() == 1 && a.rank() != 1 {
        let Some(&rows) = a.dims().first() else {
            bail!(
                InvalidArgument,
                "'then' must be at least a vector, but saw shape: {a}"
            );
        };
        let wanted = condition.dims()[0];
        ensure!(
            rows == wanted,
            InvalidArgument,
            "Number of batches of 'then' must match size of 'cond', but saw: {rows} vs. {wanted}"
        );
        let mut dims = vec![1; a.rank()];
        dims[0] = rows;
        return Broadcast::new([&Shape::new(&dims)?, a, b]);
    }
    ensure!(
        condition.rank() == 0 || condition == a,
        InvalidArgument,
        "Inputs to operation {node} of type Select must have the same size and shape.  Input 0: {condition} != input 1: {a}"
    );
    Broadcast::new([condition, a, b])
}
