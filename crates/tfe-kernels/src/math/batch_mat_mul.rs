//! Products of the matrices in the last two dimensions of two tensors, each of them adjoint first if asked for.

use std::sync::{Mutex, PoisonError};

use tfe_core::{
    Complex64, Complex128, DTypeSet, DataType, Result, Shape, Tensor, bf16, dispatch, ensure, err,
};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::broadcast::Broadcast;
use tfe_host::elementwise;
use tfe_host::function::{Function, choose, map};
use tfe_host::gemm::{Matrix, Product};
use tfe_host::{fill, fill_bytes, loops, parallel};

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
        KernelDef::cpu(ops::BATCH_MAT_MUL_V3, |init| {
            let [x, y] = ["Ta", "Tb"].map(|name| init.attrs.dtype(name));
            build(init, [x?, y?], DataType::$out, fit)
        })
        .of(&[
            ("Ta", DTypeSet::of(&[$(DataType::$x),*])),
            ("Tb", DTypeSet::of(&[$(DataType::$y),*])),
            ("Tout", DTypeSet::of(&[DataType::$out])),
        ])
    };
}

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::cpu(ops::BATCH_MAT_MUL, |init| {
        let dtype = init.attrs.dtype("T")?;
        build(init, [dtype; 2], dtype, fit_without_broadcasting)
    })
    .of(TYPES),
    KernelDef::cpu(ops::BATCH_MAT_MUL_V2, |init| {
        let dtype = init.attrs.dtype("T")?;
        build(init, [dtype; 2], dtype, fit)
    })
    .of(TYPES),
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

/// How the leading dimensions of two factors fit together; they have two more.
pub(super) type Fit = fn(&Tensor, &Tensor) -> Result<Broadcast<2>>;

fn build(
    init: &KernelInit<'_>,
    given: [DataType; 2],
    out: DataType,
    fit: Fit,
) -> Result<Box<dyn Kernel>> {
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
                Some(function) => elementwise::apply(ctx, function, ctx.input(k)),
                None => Ok(ctx.input(k).clone()),
            });
            let out = product::<T>(ctx, &x?, &y?, adjoint, fit)?;
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

/// The products of the matrices of two tensors, each of them transposed first if asked for.
///
/// # Errors
/// `InvalidArgument` when they do not fit together; `ResourceExhausted`.
pub(super) fn product<T: Product>(
    ctx: &KernelContext<'_>,
    x: &Tensor,
    y: &Tensor,
    [adj_x, adj_y]: [bool; 2],
    fit: Fit,
) -> Result<Tensor> {
    let fitted = fit(x, y)?;
    let (a, b) = (sides(x), sides(y));
    let ([m, k], [k_too, n]) = (turned(a, adj_x), turned(b, adj_y));
    ensure!(
        k == k_too,
        InvalidArgument,
        "Matrix size-incompatible: In[0]: {}, In[1]: {}",
        x.shape(),
        y.shape()
    );
    let mut dims = fitted.shape.dims().to_vec();
    dims.extend([m as i64, n as i64]);
    let out = ctx.allocate(T::DTYPE, Shape::new(&dims)?)?;
    if out.shape().num_elements() == 0 {
        // There may be many products of nothing.
        return Ok(out.zeroed());
    }
    let (x, y) = (x.as_slice::<T>()?, y.as_slice::<T>()?);
    if fitted.is_dense(0) && y.len() == k * n && !adj_x {
        // One matrix for all: the rows of the others are those of one product.
        let rows = Matrix::new(x, [x.len().checked_div(k).unwrap_or(0), k], false);
        if rows.rows() * n == out.shape().num_elements() {
            return fill(out, |dst| {
                T::product(ctx, rows, Matrix::new(y, b, adj_y), dst)
            });
        }
    }
    let places: Vec<_> = fitted.places().collect();
    let failure = Mutex::new(None);
    let size = m * n * size_of::<T>();
    // About ten products a nanosecond.
    let ns = k as f64 / 10.0 / size_of::<T>() as f64;
    let out = fill_bytes(out, |dst| {
        Ok(parallel::write(
            ctx.device(),
            dst,
            size,
            ns,
            &|start, dst| {
                loops::by_blocks(dst, size.max(1), |dst, range| {
                    let [i, j] = places[(start + range.start) / size];
                    let left = Matrix::new(&x[i * m * k..][..m * k], a, adj_x);
                    let right = Matrix::new(&y[j * k * n..][..k * n], b, adj_y);
                    let dst = loops::slots::<T>(dst);
                    let done = loops::attempt(dst, |dst| T::product(ctx, left, right, dst));
                    loops::written(done.unwrap_or_else(|(error, dst)| {
                        *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        loops::repeat(dst, T::default())
                    }))
                })
            },
        ))
    })?;
    let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    failure.map_or(Ok(out), Err)
}

/// Rows and columns.
fn sides(t: &Tensor) -> [usize; 2] {
    match t.dims() {
        [.., rows, cols] => [*rows as usize, *cols as usize],
        // `Fit` refuses anything else.
        _ => [0; 2],
    }
}

fn turned([rows, cols]: [usize; 2], adjoint: bool) -> [usize; 2] {
    if adjoint { [cols, rows] } else { [rows, cols] }
}

/// The dimensions that count matrices.
fn batch(t: &Tensor) -> Result<Shape> {
    Shape::new(&t.dims()[..t.rank() - 2])
}

pub(super) fn fit(x: &Tensor, y: &Tensor) -> Result<Broadcast<2>> {
    for (k, t) in [x, y].into_iter().enumerate() {
        ensure!(
            t.rank() >= 2,
            InvalidArgument,
            "In[{k}] ndims must be >= 2: {}",
            t.rank()
        );
    }
    Broadcast::new([&batch(x)?, &batch(y)?]).map_err(|_| {
        err!(
            InvalidArgument,
            "In[0] and In[1] must have compatible batch dimensions: {} vs. {}",
            x.shape(),
            y.shape()
        )
    })
}

fn fit_without_broadcasting(x: &Tensor, y: &Tensor) -> Result<Broadcast<2>> {
    ensure!(
        x.rank() == y.rank(),
        InvalidArgument,
        "In[0] and In[1] has different ndims: {} vs. {}",
        x.shape(),
        y.shape()
    );
    ensure!(
        x.rank() >= 2,
        InvalidArgument,
        "In[0] and In[1] ndims must be >= 2: {}",
        x.rank()
    );
    for (i, (a, b)) in x.dims().iter().zip(y.dims()).take(x.rank() - 2).enumerate() {
        ensure!(
            a == b,
            InvalidArgument,
            "In[0].dim({i}) and In[1].dim({i}) must be the same: {} vs {}",
            x.shape(),
            y.shape()
        );
    }
    fit(x, y)
}
