//! Matrix products of integers, and of floats where the CPU may make no difference, by tiles that stay in registers.

use std::mem::MaybeUninit;

use tfe_core::{Plain, Result, Shape, Tensor};
use tfe_device::KernelContext;

use crate::matrix::Matrix;
use crate::number::Number;
use crate::{fill, loops, parallel};

/// Rows of a tile.
const ROWS: usize = 4;
/// Columns of a tile, by width of the element: two vectors of AVX2.
const COLS: usize = 16;

/// Writes the product. Operands are first laid out in panels as the tiles read them.
pub fn product<'d, T: Number>(
    ctx: &KernelContext<'_>,
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    dst: &'d mut [MaybeUninit<T>],
) -> Result<&'d mut [T]> {
    match size_of::<T>() {
        16 => tiled::<T, { COLS / 4 }>(ctx, a, b, dst),
        8 => tiled::<T, { COLS / 2 }>(ctx, a, b, dst),
        _ => tiled::<T, COLS>(ctx, a, b, dst),
    }
}

fn tiled<'d, T: Number, const N: usize>(
    ctx: &KernelContext<'_>,
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    dst: &'d mut [MaybeUninit<T>],
) -> Result<&'d mut [T]> {
    let (k, n) = (a.cols(), b.cols());
    let [b_row, b_col] = b.strides();
    let panels = packed::<T, N>(ctx, b.data(), k, n, [b_col, b_row])?;
    let [a_row, a_col] = a.strides();
    let rows = packed::<T, ROWS>(ctx, a.data(), k, a.rows(), [a_row, a_col])?;
    let (panels, rows) = (panels.as_slice::<T>()?, rows.as_slice::<T>()?);
    // About ten products a nanosecond.
    let ns = k as f64 / 10.0;
    Ok(parallel::write(
        ctx.device(),
        dst,
        ROWS * n,
        ns,
        &|start, dst| {
            let first = start / (ROWS * n) * (ROWS * k);
            let dst = loops::repeat(dst, T::default());
            for (j, panel) in panels.chunks_exact(k * N).enumerate() {
                let cols = N.min(n - j * N);
                for (block, rows) in dst
                    .chunks_mut(ROWS * n)
                    .zip(rows[first..].chunks_exact(k * ROWS))
                {
                    let tile = tile::<T, N>(rows, panel);
                    for (line, values) in block.chunks_exact_mut(n).zip(&tile) {
                        line[j * N..][..cols].copy_from_slice(&values[..cols]);
                    }
                }
            }
            dst
        },
    ))
}

levels! {
    /// The products of `ROWS` rows with `N` columns.
    fn tile[T: Number, const N: usize](rows: &[T], cols: &[T]) -> [[T; N]; ROWS] {
        let mut sums = [[T::default(); N]; ROWS];
        for (a, b) in rows.as_chunks::<ROWS>().0.iter().zip(cols.as_chunks::<N>().0) {
            for i in 0..ROWS {
                for j in 0..N {
                    sums[i][j] = sums[i][j].plus(a[i].times(b[j]));
                }
            }
        }
        sums
    }
}

/// Lines of `k` elements in panels of `N` lines, element by element: what a tile needs at one step lies together.
///
/// The strides are from line to line and along the line. Missing lines of the last panel are zeros.
fn packed<T: Plain, const N: usize>(
    ctx: &KernelContext<'_>,
    data: &[T],
    k: usize,
    lines: usize,
    [line, along]: [usize; 2],
) -> Result<Tensor> {
    let panels = lines.div_ceil(N);
    let out = ctx.allocate(T::DTYPE, Shape::new(&[panels as i64, k as i64, N as i64])?)?;
    fill(out, |dst| {
        let mut out = loops::Cursor::new(dst);
        for first in (0..lines).step_by(N) {
            let here = N.min(lines - first);
            for i in 0..k {
                let at = first * line + i * along;
                if line == 1 && here == N {
                    out.copy(&data[at..at + N]);
                } else {
                    (0..here).for_each(|j| out.push(data[at + j * line]));
                    out.repeat(T::default(), N - here);
                }
            }
        }
        out.finish()
    })
}
