//! MatMul: the product of two matrices, each transposed on request.

use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, dispatch, ensure};
use tfe_device::{Device, Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use crate::host::gemm::{Gemm, Matrix};
use crate::host::number::Half;
use crate::host::{fill, loops, parallel};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES)],
    ..KernelDef::cpu(ops::MAT_MUL, build)
}];

const TYPES: DTypeSet = DTypeSet::FLOAT
    .union(DTypeSet::COMPLEX)
    .union(DTypeSet::of(&[
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
    ]));

/// Rough time of a multiplication and addition, for cutting work into pieces.
const MULTIPLY_NS: f64 = 0.02;

#[derive(Clone, Copy)]
struct Transpose {
    a: bool,
    b: bool,
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let t = Transpose {
        a: init.attrs.bool("transpose_a")?,
        b: init.attrs.bool("transpose_b")?,
    };
    let dtype = init.attrs.dtype("T")?;
    match dtype {
        DataType::Half => Ok(half::<tfe_core::f16>(t)),
        DataType::Bfloat16 => Ok(half::<tfe_core::bf16>(t)),
        _ => dispatch!(
            dtype,
            [Float, Double, Complex64, Complex128, Int16, Int32, Int64],
            |T| Ok(direct::<T>(t))
        ),
    }
}

fn direct<T: Gemm>(t: Transpose) -> Box<dyn Kernel> {
    Box::new(move |ctx: &mut KernelContext<'_>| {
        let shape = product_shape(ctx, t)?;
        let out = ctx.allocate(T::DTYPE, shape)?;
        let (a, b) = (
            matrix::<T>(ctx.input(0), t.a)?,
            matrix::<T>(ctx.input(1), t.b)?,
        );
        let product = fill(out, |dst| Ok(multiply(ctx.device(), a, b, dst)))?;
        ctx.set_output(0, product);
        Ok(())
    })
}

/// Half-precision products are accumulated in `f32` and rounded once.
fn half<T: Half>(t: Transpose) -> Box<dyn Kernel> {
    Box::new(move |ctx: &mut KernelContext<'_>| {
        let shape = product_shape(ctx, t)?;
        let widen = |tensor: &Tensor| -> Result<Tensor> {
            let wide = ctx.allocate(DataType::Float, tensor.shape().clone())?;
            fill(wide, |dst| Ok(T::to_f32s(tensor.as_slice::<T>()?, dst)))
        };
        let (a, b) = (widen(ctx.input(0))?, widen(ctx.input(1))?);
        let wide = ctx.allocate(DataType::Float, shape.clone())?;
        let (a, b) = (matrix::<f32>(&a, t.a)?, matrix::<f32>(&b, t.b)?);
        let wide = fill(wide, |dst| Ok(multiply(ctx.device(), a, b, dst)))?;
        let product = fill(ctx.allocate(T::DTYPE, shape)?, |dst| {
            Ok(T::of_f32s(wide.as_slice()?, dst))
        })?;
        ctx.set_output(0, product);
        Ok(())
    })
}

fn multiply<'d, T: Gemm>(
    device: &dyn Device,
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    dst: &'d mut [std::mem::MaybeUninit<T>],
) -> &'d mut [T] {
    let n = b.columns;
    parallel::write(
        device,
        dst,
        n,
        MULTIPLY_NS * a.columns as f64,
        &|start, piece| {
            let c = loops::repeat(piece, T::default());
            // Without columns there is nothing to multiply.
            if let (Some(row), Some(rows)) = (start.checked_div(n), c.len().checked_div(n)) {
                T::gemm(a.rows(row, rows), b, c);
            }
            c
        },
    )
}

fn matrix<T: Gemm>(tensor: &Tensor, transposed: bool) -> Result<Matrix<'_, T>> {
    let shape = tensor.shape();
    Ok(Matrix::dense(
        tensor.as_slice()?,
        shape.dim(0),
        shape.dim(1),
        transposed,
    ))
}

fn product_shape(ctx: &KernelContext<'_>, t: Transpose) -> Result<Shape> {
    let (a, b) = (ctx.input(0).shape(), ctx.input(1).shape());
    for shape in [a, b] {
        ensure!(
            shape.rank() == 2,
            InvalidArgument,
            "In[0] and In[1] ndims must be == 2: {}",
            shape.rank()
        );
    }
    let (m, ka) = if t.a {
        (a.dim(1), a.dim(0))
    } else {
        (a.dim(0), a.dim(1))
    };
    let (kb, n) = if t.b {
        (b.dim(1), b.dim(0))
    } else {
        (b.dim(0), b.dim(1))
    };
    ensure!(
        ka == kb,
        InvalidArgument,
        "Matrix size-incompatible: In[0]: {a}, In[1]: {b}"
    );
    Shape::new(&[m as i64, n as i64])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run;

    #[test]
    fn empty_matrices() {
        let zeros = |dims: &[i64]| Tensor::zeros(DataType::Float, Shape::new(dims)?);
        let product = |a: &[i64], b: &[i64]| run("MatMul", &[], vec![zeros(a)?, zeros(b)?]);
        let out = product(&[2, 0], &[0, 3]).expect("a product");
        assert_eq!(out[0].as_slice::<f32>().expect("floats"), [0.0; 6]);
        assert_eq!(
            product(&[0, 2], &[2, 3]).expect("a product")[0].dims(),
            [0, 3]
        );
        assert_eq!(
            product(&[3, 2], &[2, 0]).expect("a product")[0].dims(),
            [3, 0]
        );
        for (a, b) in [
            (&[2][..], &[2][..]),
            (&[2, 3], &[2, 3]),
            (&[1, 2, 2], &[2, 2]),
            (&[], &[]),
        ] {
            assert_eq!(
                product(a, b).expect_err("refused").code(),
                tfe_core::Code::InvalidArgument
            );
        }
    }

    #[test]
    fn big_products_are_cut_into_rows() {
        let n = 300;
        let ones = Tensor::from_iter(&[n, n], vec![1i32; (n * n) as usize]).expect("a tensor");
        let out = run(
            "MatMul",
            &[("transpose_a", true.into())],
            vec![ones.clone(), ones],
        );
        let out = out.expect("a product");
        assert!(
            out[0]
                .as_slice::<i32>()
                .expect("ints")
                .iter()
                .all(|&x| x == n as i32)
        );
    }
}
