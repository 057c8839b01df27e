//! Kernels that apply a function to each pair of elements.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use tfe_core::{Plain, Result, Tensor, err};
use tfe_device::{Device, Kernel, KernelContext};

use super::broadcast::Broadcast;
use super::number::{Compute, Fn2};
use super::{fill, loops, parallel};

/// Up to so many elements a plain loop is faster than choosing a better one.
const TINY: usize = 16;
/// Rows shorter than this are not worth a call each: several are spread out and done together.
const SHORT_ROW: usize = 32;
/// Elements that are spread out at a time.
const BLOCK: usize = 512;

/// A kernel that writes `f(a, b)` for each pair of elements of two broadcast inputs.
///
/// `element_ns` is a rough estimate of what one element costs, to decide on threads.
pub(crate) fn binary<T: Compute>(f: impl Fn2<T::Wide>, element_ns: f64) -> Box<dyn Kernel> {
    Box::new(Binary {
        f,
        element_ns,
        element: PhantomData::<fn(T)>,
    })
}

struct Binary<T, F> {
    f: F,
    element_ns: f64,
    element: PhantomData<fn(T)>,
}

impl<T: Compute, F: Fn2<T::Wide>> Kernel for Binary<T, F> {
    fn compute(&self, ctx: &mut KernelContext<'_>) -> Result<()> {
        let (a, b) = (ctx.input(0), ctx.input(1));
        if a.num_elements() > TINY || a.shape() != b.shape() {
            return compute(ctx, self, self.element_ns);
        }
        // Scalars and the like, where every nanosecond shows.
        let f = |a: T, b: T| T::narrow((self.f)(a.widen(), b.widen()));
        let (x, y) = (a.as_slice::<T>()?, b.as_slice::<T>()?);
        let out = ctx.allocate(T::DTYPE, a.shape().clone())?;
        let out = fill(out, |dst| Ok(loops::zip(dst, x, y, f)))?;
        ctx.set_output(0, out);
        Ok(())
    }
}

/// The loops of a function: of two vectors of one length, and of a vector and a number on either side.
trait Loops<T>: Sync {
    fn zip<'a>(&self, dst: &'a mut [MaybeUninit<T>], a: &[T], b: &[T]) -> &'a mut [T];
    fn zip_left<'a>(&self, dst: &'a mut [MaybeUninit<T>], a: T, b: &[T]) -> &'a mut [T];
    fn zip_right<'a>(&self, dst: &'a mut [MaybeUninit<T>], a: &[T], b: T) -> &'a mut [T];

    /// Two inputs of which one may be a single number, to be repeated.
    fn row<'a>(&self, dst: &'a mut [MaybeUninit<T>], a: &[T], b: &[T]) -> &'a mut [T]
    where
        T: Copy,
    {
        match (a, b) {
            (&[a], b) if b.len() != 1 => self.zip_left(dst, a, b),
            (a, &[b]) if a.len() != 1 => self.zip_right(dst, a, b),
            (a, b) => self.zip(dst, a, b),
        }
    }
}

impl<T: Compute, F: Fn2<T::Wide>> Loops<T> for Binary<T, F> {
    fn zip<'a>(&self, dst: &'a mut [MaybeUninit<T>], a: &[T], b: &[T]) -> &'a mut [T] {
        T::zip(self.f, dst, a, b)
    }
    fn zip_left<'a>(&self, dst: &'a mut [MaybeUninit<T>], a: T, b: &[T]) -> &'a mut [T] {
        T::zip_left(self.f, dst, a, b)
    }
    fn zip_right<'a>(&self, dst: &'a mut [MaybeUninit<T>], a: &[T], b: T) -> &'a mut [T] {
        T::zip_right(self.f, dst, a, b)
    }
}

/// Everything but the loops, which alone depend on the function.
fn compute<T: Plain>(ctx: &mut KernelContext<'_>, f: &dyn Loops<T>, ns: f64) -> Result<()> {
    let (a, b) = (ctx.input(0).shape(), ctx.input(1).shape());
    let fitted = Broadcast::limited(a, b)?;
    let device = ctx.device();
    if fitted.dims.len() <= 1
        && let Some((i, mut out)) = ctx.forward_input(&[0, 1], T::DTYPE, &fitted.shape)
    {
        let other = ctx.input(1 - i).as_slice::<T>()?;
        in_place(device, f, &mut out, i, other, ns)?;
        ctx.set_output(0, out);
        return Ok(());
    }
    let (a, b) = (ctx.input(0).as_slice::<T>()?, ctx.input(1).as_slice::<T>()?);
    let out = ctx.allocate(T::DTYPE, fitted.shape.clone())?;
    let out = fill(out, |dst| {
        if dst.is_empty() {
            return Ok(loops::repeat(dst, T::default()));
        }
        let row = fitted.row_len();
        Ok(match fitted.dims.len() {
            0 | 1 => parallel::write(device, dst, 1, ns, &|start, dst| {
                let n = dst.len();
                f.row(dst, part(a, start, n), part(b, start, n))
            }),
            _ if row < SHORT_ROW => parallel::write(device, dst, row, 3.0 * ns, &|start, dst| {
                spread_rows(f, &fitted, start / row, dst, a, b)
            }),
            _ => parallel::write(device, dst, row, ns, &|start, dst| {
                let moves = fitted.dims[fitted.dims.len() - 1].moves;
                let mut rows = fitted.rows(start / row);
                loops::by_blocks(dst, row, |dst, _| {
                    let [i, j] = rows.next();
                    let len = |k: usize| if moves[k] { row } else { 1 };
                    f.row(dst, &a[i..i + len(0)], &b[j..j + len(1)])
                })
            }),
        })
    })?;
    ctx.set_output(0, out);
    Ok(())
}

/// Elements `start..start + n`, or the only one.
fn part<T>(values: &[T], start: usize, n: usize) -> &[T] {
    if values.len() == 1 {
        values
    } else {
        &values[start..start + n]
    }
}

/// Writes the result over input `i`.
fn in_place<T: Plain>(
    device: &dyn Device,
    f: &dyn Loops<T>,
    out: &mut Tensor,
    i: usize,
    other: &[T],
    ns: f64,
) -> Result<()> {
    let data = out
        .as_mut_slice::<T>()
        .ok_or_else(|| err!(Internal, "a forwarded input is shared"))?;
    let piece = parallel::piece_len(device, data.len(), ns);
    parallel::for_pieces(device, data, piece, &|start, data| {
        // By way of a buffer, so that there is one loop for all memory, and it knows that nothing overlaps.
        let mut buffer = [MaybeUninit::uninit(); BLOCK];
        for (k, data) in data.chunks_mut(BLOCK).enumerate() {
            let dst = &mut buffer[..data.len()];
            let other = part(other, start + k * BLOCK, data.len());
            let done = if i == 0 {
                f.row(dst, data, other)
            } else {
                f.row(dst, other, data)
            };
            data.copy_from_slice(done);
        }
    });
    Ok(())
}

/// Writes rows from row `first` on, each too short for a call: several at a time, with repeated elements spread out.
fn spread_rows<'a, T: Plain>(
    f: &dyn Loops<T>,
    fitted: &Broadcast,
    first: usize,
    dst: &'a mut [MaybeUninit<T>],
    a: &[T],
    b: &[T],
) -> &'a mut [T] {
    let (row, dims) = (fitted.row_len(), &fitted.dims);
    let block = BLOCK / row * row;
    let inputs = [a, b];
    let inner = dims[dims.len() - 1].moves;
    // Inputs that move along every dimension are read where they are. With two dimensions, one that stays along the
    // outer one is the same in every block.
    let dense = [0, 1].map(|k| dims.iter().all(|d| d.moves[k]));
    let same = [0, 1].map(|k| dims.len() == 2 && !dims[0].moves[k]);
    let mut rows = fitted.rows(first);
    let mut buffers = [[T::default(); BLOCK]; 2];
    loops::by_blocks(dst, block, |dst, range| {
        let n = dst.len();
        let wanted = [0, 1].map(|k| !(dense[k] || same[k] && range.start > 0));
        if wanted.contains(&true) {
            for to in (0..n).step_by(row) {
                let from = rows.next();
                for k in 0..2 {
                    if wanted[k] {
                        spread(
                            &mut buffers[k][to..to + row],
                            &inputs[k][from[k]..],
                            inner[k],
                        );
                    }
                }
            }
        }
        let start = first * row + range.start;
        let [x, y] = [0, 1].map(|k| {
            if dense[k] {
                &inputs[k][start..start + n]
            } else {
                &buffers[k][..n]
            }
        });
        f.zip(dst, x, y)
    })
}

/// Copies a row of the input, or repeats its next element.
#[inline]
fn spread<T: Copy>(row: &mut [T], input: &[T], moves: bool) {
    if moves {
        // Too short for a call of `memcpy`.
        for (to, &from) in row.iter_mut().zip(input) {
            *to = from;
        }
    } else {
        row.fill(input[0]);
    }
}

#[cfg(test)]
mod tests {
    use tfe_core::{Code, bf16};

    use super::*;
    use crate::host::axes;
    use crate::testing::{self, Host};

    fn counted(dims: &[i64]) -> Tensor {
        let n = dims.iter().product::<i64>();
        Tensor::from_iter(dims, (0..n as i32).map(|i| i * 7 + 1)).expect("a tensor")
    }

    /// Element `index` (of the output) of a broadcast input.
    fn element(input: &Tensor, out: &[i64], index: &[i64]) -> i32 {
        let skip = out.len() - input.rank();
        let at = input
            .dims()
            .iter()
            .zip(&index[skip..])
            .fold(0, |at, (&d, &i)| at * d + i.min(d - 1));
        input.as_slice::<i32>().expect("int32")[at as usize]
    }

    #[test]
    fn every_way_through_agrees_with_one_element_at_a_time() {
        // Slow enough for several threads from 2000 elements on.
        let kernel = binary::<i32>(|a, b| a.wrapping_mul(1000).wrapping_sub(b), 50.0);
        let check = |a: &[i64], b: &[i64], shared: bool| {
            let (a, b) = (counted(a), counted(b));
            let keep = shared.then(|| (a.clone(), b.clone()));
            let reference = (a.deep_copy().expect("copy"), b.deep_copy().expect("copy"));
            let out = testing::compute(&Host::new(), &*kernel, vec![a, b], 1).expect("a result");
            let (dims, got) = (out[0].dims(), out[0].as_slice::<i32>().expect("int32"));
            let mut index = vec![0; dims.len()];
            for (i, &got) in got.iter().enumerate() {
                axes::index_of(i, dims, &mut index);
                let [x, y] = [&reference.0, &reference.1].map(|t| element(t, dims, &index));
                assert_eq!(
                    got,
                    x.wrapping_mul(1000).wrapping_sub(y),
                    "{reference:?} at {index:?}"
                );
            }
            drop(keep);
        };
        let shapes: &[(&[i64], &[i64])] = &[
            (&[], &[]),
            (&[3], &[3]),
            (&[700], &[700]),
            (&[1], &[]),
            (&[700], &[1]),
            (&[0, 3], &[3]),
            (&[40, 3], &[3]),
            (&[400, 3], &[400, 1]),
            (&[5, 1, 4], &[3, 1]),
            (&[2, 3, 4, 5], &[3, 1, 5]),
            (&[7, 50], &[50]),
            (&[7, 1], &[1, 50]),
            (&[3, 1, 40], &[1, 4, 1]),
            (&[100, 50], &[100, 50]),
            (&[100, 50], &[100, 1]),
            (&[3000, 3], &[3]),
            (&[2, 1, 2, 1, 2, 1, 2, 1], &[1, 2, 1, 2, 1, 2, 1, 2]),
        ];
        for (a, b) in shapes {
            for shared in [false, true] {
                check(a, b, shared);
                check(b, a, shared);
            }
        }
    }

    #[test]
    fn halves_are_rounded_once() {
        let kernel = binary::<bf16>(|a, b| a + b, 0.2);
        let one = |x: f32, n: i64| {
            Tensor::from_iter(&[n], std::iter::repeat_n(bf16::from_f32(x), n as usize))
                .expect("a tensor")
        };
        for (n, m) in [(1, 1), (600, 600), (600, 1), (1, 600)] {
            let inputs = vec![one(256.0, n), one(1.0, m)];
            let out = testing::compute(&Host::new(), &*kernel, inputs, 1).expect("a result");
            // 257 lies between 256 and 258: the tie goes to the even one.
            assert!(
                out[0]
                    .as_slice::<bf16>()
                    .expect("bf16")
                    .iter()
                    .all(|&v| v == bf16::from_f32(256.0))
            );
        }
    }

    #[test]
    fn shapes_that_do_not_fit_are_told() {
        let kernel = binary::<i32>(|a, _| a, 0.2);
        let inputs = vec![counted(&[2]), counted(&[3])];
        let e = testing::compute(&Host::new(), &*kernel, inputs, 1).expect_err("shapes");
        assert_eq!(
            (e.code(), e.message()),
            (Code::InvalidArgument, "Incompatible shapes: [2] vs. [3]")
        );
    }
}
