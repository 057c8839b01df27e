//! Reductions along axes: which dimensions go, and the walk over what is reduced.

use std::mem::MaybeUninit;

use smallvec::SmallVec;
use tfe_core::{Plain, Result, Shape, bail};
use tfe_device::{Device, KernelContext};

use super::{axes, fill, loops, parallel};

/// What is reduced: neighbouring dimensions that are both kept or both reduced are one, and those of size 1 are gone.
pub(crate) struct Geometry {
    dims: SmallVec<[Dim; 4]>,
    /// The shape of the result.
    pub(crate) shape: Shape,
}

#[derive(Clone, Copy)]
struct Dim {
    len: usize,
    reduced: bool,
}

impl Geometry {
    /// The reduction of a tensor of `shape` along `axes`.
    ///
    /// # Errors
    /// `InvalidArgument` for an axis that is not there, or is named twice.
    pub(crate) fn new(shape: &Shape, axes: &[i64], keep_dims: bool) -> Result<Self> {
        let rank = shape.rank();
        let mut reduced: SmallVec<[bool; 8]> = SmallVec::from_elem(false, rank);
        for &given in axes {
            let Some(axis) = axes::normalize(given, rank) else {
                bail!(
                    InvalidArgument,
                    "Invalid reduction dimension ({given} for input with {rank} dimension(s)"
                );
            };
            if std::mem::replace(&mut reduced[axis], true) {
                bail!(
                    InvalidArgument,
                    "Invalid reduction arguments: Axes contains duplicate dimension: {axis}"
                );
            }
        }
        let mut dims: SmallVec<[Dim; 4]> = SmallVec::new();
        let mut result: SmallVec<[i64; 8]> = SmallVec::new();
        for (&d, &reduced) in shape.dims().iter().zip(&reduced) {
            match (reduced, keep_dims) {
                (false, _) => result.push(d),
                (true, true) => result.push(1),
                (true, false) => {}
            }
            let len = d as usize;
            match dims.last_mut() {
                _ if len == 1 => {}
                Some(last) if last.reduced == reduced => last.len *= len,
                _ => dims.push(Dim { len, reduced }),
            }
        }
        Ok(Self {
            dims,
            shape: Shape::new(&result)?,
        })
    }
}

/// A way to make one value of many.
pub(crate) trait Reducer: 'static {
    /// What is reduced, and what comes out.
    type Item: Plain;
    /// What it is gathered in.
    type Total: Plain;
    /// What one item costs, in nanoseconds: a rough estimate.
    const ITEM_NS: f64 = 0.15;

    /// The total of nothing.
    fn nothing() -> Self::Total;
    /// The total of two.
    fn join(a: Self::Total, b: Self::Total) -> Self::Total;
    /// The total of a row.
    fn row(row: &[Self::Item]) -> Self::Total;
    /// Adds `rows` rows to the total of each column. Rows begin `stride` items apart.
    fn columns(totals: &mut [Self::Total], source: &[Self::Item], stride: usize, rows: usize);
    /// The result.
    fn finish(total: Self::Total) -> Self::Item;

    /// Writes the result of each row of `len` items.
    fn rows<'a>(
        dst: &'a mut [MaybeUninit<Self::Item>],
        source: &[Self::Item],
        len: usize,
    ) -> &'a mut [Self::Item] {
        loops::tabulate(dst, |i| {
            Self::finish(Self::row(&source[i * len..(i + 1) * len]))
        })
    }
}

/// Columns that are reduced at a time, and rows: their totals stay in the first-level cache, and no total is the sum of
/// more than so many items in a row, which keeps the digits of floats.
const COLUMNS: usize = 2048;
const ROWS: usize = 256;
/// Rows shorter than this are taken several at a time as one.
const SHORT: usize = 32;

/// The kernel: reduces input 0 along the axes that input 1 lists.
///
/// # Errors
/// As [`Geometry::new`].
pub(crate) fn compute<R: Reducer>(ctx: &mut KernelContext<'_>, keep_dims: bool) -> Result<()> {
    let (input, axes) = (ctx.input(0), ctx.input(1));
    let Geometry { dims, shape } = Geometry::new(input.shape(), &axes::integers(axes)?, keep_dims)?;
    let source = input.as_slice::<R::Item>()?;
    let out = ctx.allocate(input.dtype(), shape)?;
    let device = ctx.device();
    let out = fill(out, |dst| {
        if source.is_empty() {
            return Ok(loops::repeat(dst, R::finish(R::nothing())));
        }
        // What is reduced to each element of the first dimension, if that is kept, lies in one piece.
        let inner = match &dims[..] {
            [first, inner @ ..] if !first.reduced => inner,
            all => all,
        };
        let size: usize = inner.iter().map(|d| d.len).product();
        let kept: usize = inner.iter().filter(|d| !d.reduced).map(|d| d.len).product();
        let ns = R::ITEM_NS * (size / kept) as f64;
        Ok(match inner {
            [] => parallel::write(device, dst, 1, ns, &|start, dst| {
                R::rows(dst, &source[start..], 1)
            }),
            [_] if dst.len() > 1 => parallel::write(device, dst, 1, ns, &|start, dst| {
                R::rows(dst, &source[start * size..], size)
            }),
            _ if dst.len() > kept => parallel::write(device, dst, kept, ns, &|start, dst| {
                let first = start / kept;
                loops::by_blocks(dst, kept, |dst, range| {
                    let source = &source[(first + range.start / kept) * size..][..size];
                    let totals = totals::<R>(source, inner, kept);
                    loops::map(dst, &totals, R::finish)
                })
            }),
            _ => {
                let totals = whole::<R>(device, source, inner, kept);
                loops::map(dst, &totals, R::finish)
            }
        })
    })?;
    ctx.set_output(0, out);
    Ok(())
}

type Totals<R> = SmallVec<[<R as Reducer>::Total; 8]>;

/// The totals of everything, of which the first dimension is reduced: on several threads by pieces of that.
fn whole<R: Reducer>(
    device: &dyn Device,
    source: &[R::Item],
    dims: &[Dim],
    kept: usize,
) -> Totals<R> {
    let (first, inner) = (dims[0].len, source.len() / dims[0].len);
    let piece = parallel::piece_len(device, first, R::ITEM_NS * inner as f64);
    if piece >= first {
        return totals::<R>(source, dims, kept);
    }
    let mut parts: Vec<Totals<R>> = vec![SmallVec::new(); first.div_ceil(piece)];
    parallel::for_pieces(device, &mut parts, 1, &|i, part| {
        let rows = piece.min(first - i * piece);
        let mut dims: SmallVec<[Dim; 4]> = SmallVec::from_slice(dims);
        dims[0].len = rows;
        part[0] = totals::<R>(&source[i * piece * inner..][..rows * inner], &dims, kept);
    });
    let joined = parts.into_iter().reduce(|mut all, part| {
        all.iter_mut()
            .zip(part)
            .for_each(|(a, b)| *a = R::join(*a, b));
        all
    });
    joined.unwrap_or_default()
}

/// The totals of `source`, of shape `dims`.
fn totals<R: Reducer>(source: &[R::Item], dims: &[Dim], kept: usize) -> Totals<R> {
    let mut totals = SmallVec::from_elem(R::nothing(), kept);
    add_up::<R>(source, dims, &mut totals);
    totals
}

/// Adds the items of `source`, of shape `dims`, to the totals that they belong to.
fn add_up<R: Reducer>(source: &[R::Item], dims: &[Dim], totals: &mut [R::Total]) {
    match dims {
        [] | [Dim { reduced: true, .. }] => totals[0] = R::join(totals[0], R::row(source)),
        [_] => R::columns(totals, source, source.len(), 1),
        [
            Dim {
                reduced: true,
                len: rows,
            },
            _,
        ] => columns::<R>(totals, source, *rows),
        [dim, inner @ ..] => {
            let parts = source.chunks_exact(source.len() / dim.len);
            if dim.reduced {
                parts.for_each(|part| add_up::<R>(part, inner, totals));
            } else {
                let totals = totals.chunks_exact_mut(totals.len() / dim.len);
                parts
                    .zip(totals)
                    .for_each(|(part, totals)| add_up::<R>(part, inner, totals));
            }
        }
    }
}

/// Adds the rows of a matrix to the totals of its columns.
fn columns<R: Reducer>(totals: &mut [R::Total], source: &[R::Item], rows: usize) {
    let width = totals.len();
    if width < SHORT && rows >= 2 * SHORT {
        // Several rows as one, so that there is something to vectorise: item `i` of it belongs to column `i % width`.
        let together = 2 * SHORT / width;
        let long = width * together;
        let mut wide: SmallVec<[R::Total; 2 * SHORT]> = SmallVec::from_elem(R::nothing(), long);
        let done = rows / together * long;
        columns::<R>(&mut wide, &source[..done], rows / together);
        for wide in wide.chunks_exact(width) {
            totals
                .iter_mut()
                .zip(wide)
                .for_each(|(a, &b)| *a = R::join(*a, b));
        }
        return R::columns(totals, &source[done..], width, rows % together);
    }
    let mut block: SmallVec<[R::Total; 64]> = SmallVec::new();
    for (i, totals) in totals.chunks_mut(COLUMNS).enumerate() {
        let source = &source[i * COLUMNS..];
        if rows <= ROWS {
            R::columns(totals, source, width, rows);
            continue;
        }
        for first in (0..rows).step_by(ROWS) {
            block.clear();
            block.resize(totals.len(), R::nothing());
            R::columns(
                &mut block,
                &source[first * width..],
                width,
                ROWS.min(rows - first),
            );
            totals
                .iter_mut()
                .zip(&block)
                .for_each(|(a, &b)| *a = R::join(*a, b));
        }
    }
}
