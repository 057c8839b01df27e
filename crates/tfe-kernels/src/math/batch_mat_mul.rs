//! Products of the matrices in the last two dimensions of two tensors, each of them adjoint first if asked for.

use tfe_core::{Complex64, Complex128, DTypeSet, DataType, Result, bf16, dispatch, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::batch_product::product;
use tfe_host::function::{Function, choose, map};
use tfe_host::{broadcast, elementwise};

const TYPES: &[(&str, DTypeSet)] = &[("T", FACTORS)];

const FACTORS: DTypeSet = DTypeSet::FLOAT
    .union(DTypeSet::COMPLEX)
    .union(DTypeSet::of(&[
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
    ]));

/// A kernel of [`ops::BATCH_MAT_MUL_V3`] for factors and a product of these types.
macro_rules! v3 {
    ([$($x:ident),*] [$($y:ident),*] $out:ident) => {
        KernelDef::host(ops::BATCH_MAT_MUL_V3, rule, |init| {
            let [x, y] = ["Ta", "Tb"].map(|name| init.attrs.dtype(name));
            build(init, [x?, y?], DataType::$out)
        })
        .of(&[
            ("Ta", DTypeSet::of(&[$(DataType::$x),*])),
            ("Tb", DTypeSet::of(&[$(DataType::$y),*])),
            ("Tout", DTypeSet::of(&[DataType::$out])),
        ])
    };
}

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(
        ops::BATCH_MAT_MUL,
        rule_without_broadcasting,
        build_of_one_type,
    )
    .of(TYPES),
    KernelDef::host(ops::BATCH_MAT_MUL_V2, rule, build_of_one_type).of(TYPES),
    v3!([Bfloat16] [Bfloat16] Bfloat16),
    v3!([Float] [Float] Float),
    v3!([Double] [Double] Double),
    v3!([Int16] [Int16] Int16),
    v3!([Int32] [Int32] Int32),
    v3!([Int64] [Int64] Int64),
    v3!([Complex64] [Complex64] Complex64),
    v3!([Complex128] [Complex128] Complex128),
    v3!([Int8, Uint8] [Int8, Uint8] Int32),
    v3!([Bfloat16] [Int8, Uint8] Bfloat16),
    v3!([Int8, Uint8] [Bfloat16] Bfloat16),
];

/// Dimensions of matrices as the product of two tensors has them, the others broadcast.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let product = products(op)?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        product.infer(call)
    }))
}

/// The same, for tensors whose other dimensions are alike.
fn rule_without_broadcasting(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let product = products(op)?;
    let [x, y] = op.inputs(["x", "y"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        if let (Some(a), Some(b)) = (call.dims(x), call.dims(y)) {
            ensure!(
                a.len() == b.len(),
                InvalidArgument,
                "In[0] and In[1] has different ndims: {} vs. {}",
                call.shown(x),
                call.shown(y)
            );
            ensure!(
                a.len() >= 2,
                InvalidArgument,
                "In[0] and In[1] ndims must be >= 2: {}",
                a.len()
            );
            for (i, (&a, &b)) in a.iter().zip(b).take(a.len() - 2).enumerate() {
                ensure!(
                    dim::merge(a, b).is_some(),
                    InvalidArgument,
                    "In[0].dim({i}) and In[1].dim({i}) must be the same: {} vs {}",
                    call.shown(x),
                    call.shown(y)
                );
            }
        }
        product.infer(call)
    }))
}

/// The rule of products of matrices that are adjoint, or not.
fn products(op: &OpInit<'_>) -> Result<impl Rule + use<>> {
    let [x, y] = op.inputs(["x", "y"])?;
    let [adj_x, adj_y] = [op.attrs.bool("adj_x")?, op.attrs.bool("adj_y")?];
    Ok(move |call: &mut Inference<'_>| {
        for (k, i) in [x, y].into_iter().enumerate() {
            call.at_least_rank(i, 2, || {
                err!(
                    InvalidArgument,
                    "In[{k}] ndims must be >= 2: {}",
                    call.rank(i).unwrap_or_default()
                )
            })?;
        }
        let (Some(a), Some(b)) = (call.dims(x), call.dims(y)) else {
            return Ok(());
        };
        let ((a_batch, a), (b_batch, b)) = (a.split_at(a.len() - 2), b.split_at(b.len() - 2));
        let batch = broadcast::dims_of(&[Some(a_batch), Some(b_batch)]).map_err(|_| {
            err!(
                InvalidArgument,
                "In[0] and In[1] must have compatible batch dimensions: {} vs. {}",
                call.shown(x),
                call.shown(y)
            )
        })?;
        let (m, k) = (a[usize::from(adj_x)], a[usize::from(!adj_x)]);
        let (k_too, n) = (b[usize::from(adj_y)], b[usize::from(!adj_y)]);
        ensure!(
            dim::merge(k, k_too).is_some(),
            InvalidArgument,
            "Matrix size-incompatible: In[0]: {}, In[1]: {}",
            call.shown(x),
            call.shown(y)
        );
        let mut dims = batch.unwrap_or_default();
        dims.extend([m, n]);
        call.set(0, &dims)
    })
}

fn build_of_one_type(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    build(init, [dtype; 2], dtype)
}

fn build(init: &KernelInit<'_>, given: [DataType; 2], out: DataType) -> Result<Box<dyn Kernel>> {
    let inputs = init.inputs(["x", "y"])?;
    let adjoint = [init.attrs.bool("adj_x")?, init.attrs.bool("adj_y")?];
    let mut prepared = [None, None];
    for k in 0..2 {
        prepared[k] = preparation(given[k], out, adjoint[k])?;
    }
    dispatch!(
        out,
        [
            Half, Bfloat16, Float, Double, Int16, Int32, Int64, Complex64, Complex128
        ],
        |T| Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
            let [x, y] = [0, 1].map(|k| match &prepared[k] {
                Some(function) => elementwise::apply(ctx, function, ctx.input(inputs[k])),
                None => Ok(ctx.input(inputs[k]).clone()),
            });
            let out = product::<T>(ctx, &x?, &y?, adjoint)?;
            ctx.set_output(0, out);
            Ok(())
        }))
    )
}

/// What is done to the elements of a factor first: it gets the product's type, and if it is to be adjoint, conjugate ones.
fn preparation(given: DataType, out: DataType, adjoint: bool) -> Result<Option<Function<1>>> {
    Ok(Some(match (given, out) {
        (DataType::Int8, DataType::Int32) => map(|x: i8| i32::from(x)),
        (DataType::Uint8, DataType::Int32) => map(|x: u8| i32::from(x)),
        (DataType::Int8, DataType::Bfloat16) => map(|x: i8| bf16::from_f32(x.into())),
        (DataType::Uint8, DataType::Bfloat16) => map(|x: u8| bf16::from_f32(x.into())),
        _ if adjoint && DTypeSet::COMPLEX.contains(given) => choose(
            given,
            [map(|z: Complex64| z.conj()), map(|z: Complex128| z.conj())],
        )?,
        _ => return Ok(None),
    }))
}
