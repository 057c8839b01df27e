//! MatMul: the product of two matrices, each of them transposed first if asked for.

use tfe_core::{DTypeSet, DataType, Result, Tensor, dispatch, ensure};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::fill;
use tfe_host::gemm::Product;
use tfe_host::matrix::Matrix;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES)],
    ..KernelDef::host(ops::MAT_MUL, rule, build)
}];

const TYPES: DTypeSet = DTypeSet::FLOAT
    .union(DTypeSet::COMPLEX)
    .union(DTypeSet::of(&[
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
    ]));

/// The rows of the first factor and the columns of the second.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [a, b] = op.inputs(["a", "b"])?;
    let [ta, tb] = transposed(op)?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let (Some(x), Some(y)) = (call.dims(a), call.dims(b)) else {
            return Ok(());
        };
        ensure!(
            x.len() == y.len(),
            InvalidArgument,
            "In[0] and In[1] has different ndims: {} vs. {}",
            call.shown(a),
            call.shown(b)
        );
        ensure!(
            x.len() == 2,
            InvalidArgument,
            "In[0] and In[1] ndims must be == 2: {}",
            x.len()
        );
        ensure!(
            dim::merge(x[usize::from(!ta)], y[usize::from(tb)]).is_some(),
            InvalidArgument,
            "Matrix size-incompatible: In[0]: {}, In[1]: {}",
            call.shown(a),
            call.shown(b)
        );
        call.set(0, &[x[usize::from(ta)], y[usize::from(!tb)]])
    }))
}

fn transposed(op: &OpInit<'_>) -> Result<[bool; 2]> {
    Ok([op.attrs.bool("transpose_a")?, op.attrs.bool("transpose_b")?])
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let ([a, b], [ta, tb]) = (init.inputs(["a", "b"])?, transposed(init)?);
    dispatch!(
        init.attrs.dtype("T")?,
        [
            Half, Bfloat16, Float, Double, Int16, Int32, Int64, Complex64, Complex128
        ],
        |T| Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
            let a = matrix::<T>(ctx.input(a), ta)?;
            let b = matrix::<T>(ctx.input(b), tb)?;
            let out = fill(ctx.output(0)?, |dst| T::product(ctx, a, b, dst))?;
            ctx.set_output(0, out);
            Ok(())
        }))
    )
}

fn matrix<T: Product>(tensor: &Tensor, transposed: bool) -> Result<Matrix<'_, T>> {
    let sides = [0, 1].map(|axis| tensor.shape().dim(axis));
    Ok(Matrix::new(tensor.as_slice::<T>()?, sides, transposed))
}

#[cfg(test)]
mod tests {
    use tfe_core::{Code, Element, Shape, bf16, f16};

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
