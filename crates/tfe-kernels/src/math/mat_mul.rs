//! MatMul: the product of two matrices, each of them transposed first if asked for.

use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, bail, dispatch, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::fill;
use tfe_host::gemm::{Matrix, Product};

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

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let transposed = [
        init.attrs.bool("transpose_a")?,
        init.attrs.bool("transpose_b")?,
    ];
    dispatch!(
        init.attrs.dtype("T")?,
        [
            Half, Bfloat16, Float, Double, Int16, Int32, Int64, Complex64, Complex128
        ],
        |T| Ok(Box::new(move |ctx: &mut KernelContext<'_>| compute::<T>(
            ctx, transposed
        )))
    )
}

fn compute<T: Product>(ctx: &mut KernelContext<'_>, [ta, tb]: [bool; 2]) -> Result<()> {
    let (a, b) = (ctx.input(0), ctx.input(1));
    let (x, y) = (sides(a, b)?, sides(b, a)?);
    let (x, y) = (
        Matrix::new(a.as_slice::<T>()?, x, ta),
        Matrix::new(b.as_slice::<T>()?, y, tb),
    );
    ensure!(
        x.cols() == y.rows(),
        InvalidArgument,
        "Matrix size-incompatible: In[0]: {}, In[1]: {}",
        a.shape(),
        b.shape()
    );
    let shape = Shape::new(&[x.rows() as i64, y.cols() as i64])?;
    let out = ctx.allocate(T::DTYPE, shape)?;
    let out = fill(out, |dst| T::product(ctx, x, y, dst))?;
    ctx.set_output(0, out);
    Ok(())
}

/// Rows and columns.
fn sides(a: &Tensor, b: &Tensor) -> Result<[usize; 2]> {
    match a.dims() {
        &[rows, cols] if b.rank() == 2 => Ok([rows as usize, cols as usize]),
        _ if a.rank() == b.rank() => {
            bail!(
                InvalidArgument,
                "In[0] and In[1] ndims must be == 2: {}",
                a.rank()
            )
        }
        _ => bail!(
            InvalidArgument,
            "In[0] and In[1] has different ndims: {} vs. {}",
            a.shape(),
            b.shape()
        ),
    }
}

#[cfg(test)]
mod tests {
    use tfe_core::{Code, Element, bf16, f16};

    use super::*;
    use crate::testing::run;

    /// Small whole numbers, so that every type can hold the sums.
    fn operand<T: Element>(dims: [usize; 2], of: fn(i32) -> T) -> (Tensor, Vec<i32>) {
        let n = dims[0] * dims[1];
        let values: Vec<i32> = (0..n).map(|i| (i * 7 % 5) as i32 - 2).collect();
        let dims = dims.map(|d| d as i64);
        let tensor = Tensor::from_iter(&dims, values.iter().map(|&v| of(v)));
        (tensor.expect("a tensor"), values)
    }

    fn check<T: Element + PartialEq>(of: fn(i32) -> T) {
        let sizes = [
            (1, 1, 1),
            (2, 2, 2),
            (3, 3, 3),
            (4, 4, 4),
            (2, 5, 3),
            (1, 70, 40),
            (40, 70, 1),
        ];
        for (m, k, n) in
            sizes
                .into_iter()
                .chain([(17, 33, 19), (130, 20, 90), (0, 3, 2), (2, 0, 3)])
        {
            for (ta, tb) in [(false, false), (true, false), (false, true), (true, true)] {
                let (a, x) = operand(if ta { [k, m] } else { [m, k] }, of);
                let (b, y) = operand(if tb { [n, k] } else { [k, n] }, of);
                let attrs = [("transpose_a", ta.into()), ("transpose_b", tb.into())];
                let out = run("MatMul", &attrs, vec![a, b])
                    .expect("a product")
                    .remove(0);
                assert_eq!(out.dims(), [m as i64, n as i64]);
                for (at, got) in out.as_slice::<T>().expect("its type").iter().enumerate() {
                    let (i, j) = (at / n, at % n);
                    let x = |l: usize| x[if ta { l * m + i } else { i * k + l }];
                    let y = |l: usize| y[if tb { j * k + l } else { l * n + j }];
                    let want = of((0..k).map(|l| x(l) * y(l)).sum());
                    assert!(*got == want, "{} {m} {k} {n} {ta} {tb} at {at}", T::DTYPE);
                }
            }
        }
    }

    #[test]
    fn every_size_and_type_agrees_with_sums_of_products() {
        check(|v| v as f32);
        check(f64::from);
        check(|v| f16::from_f32(v as f32));
        check(|v| bf16::from_f32(v as f32));
        check(|v| v);
        check(i64::from);
        check(|v| tfe_core::Complex64::new(v as f32, 0.0));
        check(|v| tfe_core::Complex128::new(v.into(), 0.0));
    }

    #[test]
    fn shapes_that_do_not_fit_are_told() {
        let zeros = |dims: &[i64]| Tensor::zeros(DataType::Float, Shape::new(dims)?);
        for (a, b, message) in [
            (&[2][..], &[2][..], "In[0] and In[1] ndims must be == 2: 1"),
            (&[], &[], "In[0] and In[1] ndims must be == 2: 0"),
            (
                &[2, 2],
                &[1, 2, 2],
                "In[0] and In[1] has different ndims: [2,2] vs. [1,2,2]",
            ),
            (
                &[2, 3],
                &[2, 3],
                "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]",
            ),
        ] {
            let e = zeros(a)
                .and_then(|a| run("MatMul", &[], vec![a, zeros(b)?]))
                .expect_err(message);
            assert_eq!((e.code(), e.message()), (Code::InvalidArgument, message));
        }
    }
}
