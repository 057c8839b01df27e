//! Products of the matrices in the last two dimensions of two tensors, whose other dimensions are broadcast.

use smallvec::SmallVec;
use tfe_core::{Result, Shape, Tensor, ensure};
use tfe_device::KernelContext;

use crate::broadcast::Broadcast;
use crate::gemm::Product;
use crate::matrix::Matrix;
use crate::{fill, fill_bytes, loops, parallel};

/// The products of the matrices of two tensors that fit together, each of them transposed first if asked for.
///
/// # Errors
/// `InvalidArgument` for tensors without matrices; `ResourceExhausted`.
pub fn product<T: Product>(
    ctx: &KernelContext<'_>,
    x: &Tensor,
    y: &Tensor,
    [turn_x, turn_y]: [bool; 2],
) -> Result<Tensor> {
    let ((x_batch, a), (y_batch, b)) = (matrices(x)?, matrices(y)?);
    let fitted = Broadcast::new([&x_batch, &y_batch])?;
    let (m, k) = (a[usize::from(turn_x)], a[usize::from(!turn_x)]);
    let n = b[usize::from(!turn_y)];
    let mut dims = SmallVec::<[i64; 8]>::from_slice(fitted.shape.dims());
    dims.extend([m as i64, n as i64]);
    let out = ctx.allocate(T::DTYPE, Shape::new(&dims)?)?;
    if out.shape().num_elements() == 0 {
        // There may be many products of nothing.
        return Ok(out.zeroed());
    }
    let (x, y) = (x.as_slice::<T>()?, y.as_slice::<T>()?);
    if fitted.is_dense(0) && y.len() == k * n && !turn_x {
        // One matrix for all: the rows of the others are those of one product.
        let rows = Matrix::new(x, [x.len().checked_div(k).unwrap_or(0), k], false);
        if rows.rows() * n == out.shape().num_elements() {
            return fill(out, |dst| {
                T::product(ctx, rows, Matrix::new(y, b, turn_y), dst)
            });
        }
    }
    let size = m * n * size_of::<T>();
    // About ten products a nanosecond.
    let ns = k as f64 / 10.0 / size_of::<T>() as f64;
    fill_bytes(out, |dst| {
        parallel::try_write(ctx.device(), dst, size, ns, &|start, dst| {
            let (mut places, mut done) = (fitted.places_from(start / size), Ok(()));
            let dst = loops::by_blocks(dst, size, |dst, _| {
                let [i, j] = places.next().unwrap_or_default();
                let left = Matrix::new(&x[i * m * k..][..m * k], a, turn_x);
                let right = Matrix::new(&y[j * k * n..][..k * n], b, turn_y);
                let product = loops::attempt(loops::slots::<T>(dst), |dst| {
                    T::product(ctx, left, right, dst)
                });
                loops::written(product.unwrap_or_else(|(error, dst)| {
                    done = Err(error);
                    loops::repeat(dst, T::default())
                }))
            });
            done.map(|()| dst)
        })
    })
}

/// The dimensions that count matrices, and the rows and columns of each.
fn matrices(t: &Tensor) -> Result<(Shape, [usize; 2])> {
    ensure!(
        t.rank() >= 2,
        InvalidArgument,
        "a tensor of shape {} has no matrices",
        t.shape()
    );
    let (batch, sides) = t.dims().split_at(t.rank() - 2);
    Ok((Shape::new(batch)?, [sides[0] as usize, sides[1] as usize]))
}
