//! Reductions along axes: which dimensions go, and the walk over what is reduced.

use std::mem::MaybeUninit;

use smallvec::SmallVec;
use tfe_core::{Plain, Result, Shape, Tensor, bail};
use tfe_device::{Device, Kernel, KernelContext};

use crate::{axes, fill, loops, parallel};

/// What is reduced: neighbouring dimensions that are both kept or both reduced are one, and those of size 1 are gone.
pub struct Geometry {
    dims: SmallVec<[Dim; 4]>,
    /// The shape of the result.
    pub shape: Shape,
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
    pub fn new(shape: &Shape, axes: &[i64], keep_dims: bool) -> Result<Self> {
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
///
/// What goes around it is compiled once for all reducers of a type.
pub trait Reducer: Send + Sync {
    /// What is reduced, and what comes out.
    type Item: Plain;
    /// What it is gathered in.
    type Total: Plain;

    /// The total of nothing.
    fn identity(&self) -> Self::Total;
    /// Adds other totals to totals, one to each.
    fn join(&self, totals: &mut [Self::Total], others: &[Self::Total]);
    /// The total of a row.
    fn row(&self, row: &[Self::Item]) -> Self::Total;
    /// Adds `rows` rows to the total of each column. Rows begin `stride` items apart.
    fn columns(
        &self,
        totals: &mut [Self::Total],
        source: &[Self::Item],
        stride: usize,
        rows: usize,
    );
    /// Whether the result of one item is that item, so that nothing need be done where the reduced dimensions have one.
    fn keeps_one(&self) -> bool {
        true
    }
    /// The result of a total of `count` items.
    fn result(&self, total: Self::Total, count: usize) -> Self::Item;

    /// Writes the results of totals of `count` items each.
    fn results<'a>(
        &self,
        dst: &'a mut [MaybeUninit<Self::Item>],
        totals: &[Self::Total],
        count: usize,
    ) -> &'a mut [Self::Item] {
        loops::map(dst, totals, |total| self.result(total, count))
    }

    /// Writes the result of each row of `len` items.
    fn rows<'a>(
        &self,
        dst: &'a mut [MaybeUninit<Self::Item>],
        source: &[Self::Item],
        len: usize,
    ) -> &'a mut [Self::Item] {
        loops::tabulate(dst, |i| {
            self.result(self.row(&source[i * len..(i + 1) * len]), len)
        })
    }
}

/// A reducer of items of a type, with totals of another.
pub type DynReducer<I, A> = dyn Reducer<Item = I, Total = A>;

/// What one item costs, in nanoseconds: a rough estimate.
const ITEM_NS: f64 = 0.15;
/// Columns that are reduced at a time, and rows: their totals stay in the first-level cache, and no total is the sum of
/// more than so many items in a row, which keeps the digits of floats.
const COLUMNS: usize = 2048;
const ROWS: usize = 256;
/// Rows shorter than this are taken several at a time as one.
const SHORT: usize = 32;

/// The kernel that reduces input 0 along the axes that input 1 lists. Inputs of another type of the same width are taken
/// for items by their bits.
pub fn kernel<R: Reducer + 'static>(reducer: R, keep_dims: bool) -> Box<dyn Kernel> {
    dyn_kernel(Box::new(reducer), keep_dims)
}

fn dyn_kernel<I: Plain, A: Plain>(
    reducer: Box<DynReducer<I, A>>,
    keep_dims: bool,
) -> Box<dyn Kernel> {
    Box::new(move |ctx: &mut KernelContext<'_>| {
        let (input, axes) = (ctx.input(0), ctx.input(1));
        let out = reduced(ctx, &*reducer, input, &axes::integers(axes)?, keep_dims)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// `input` reduced along axes.
///
/// # Errors
/// As [`Geometry::new`]; `ResourceExhausted`.
pub fn reduced<I: Plain, A: Plain>(
    ctx: &KernelContext<'_>,
    reducer: &DynReducer<I, A>,
    input: &Tensor,
    axes: &[i64],
    keep_dims: bool,
) -> Result<Tensor> {
    let dtype = input.dtype();
    if dtype != I::DTYPE {
        let bits = input.bitcast(I::DTYPE)?;
        return reduced(ctx, reducer, &bits, axes, keep_dims)?.bitcast(dtype);
    }
    let Geometry { dims, shape } = Geometry::new(input.shape(), axes, keep_dims)?;
    if reducer.keeps_one() && dims.iter().all(|d| !d.reduced) {
        return input.reshaped(shape);
    }
    let source = input.as_slice::<I>()?;
    let out = ctx.allocate(I::DTYPE, shape)?;
    let device = ctx.device();
    fill(out, |dst| {
        if source.is_empty() {
            return Ok(loops::repeat(dst, reducer.result(reducer.identity(), 0)));
        }
        // What is reduced to each element of the first dimension, if that is kept, lies in one piece.
        let inner = match &dims[..] {
            [first, inner @ ..] if !first.reduced => inner,
            all => all,
        };
        let size: usize = inner.iter().map(|d| d.len).product();
        let kept: usize = inner.iter().filter(|d| !d.reduced).map(|d| d.len).product();
        let count = size / kept;
        let ns = ITEM_NS * count as f64;
        Ok(match inner {
            [] => parallel::write(device, dst, 1, ns, &|start, dst| {
                reducer.rows(dst, &source[start..], 1)
            }),
            [_] if dst.len() > 1 => parallel::write(device, dst, 1, ns, &|start, dst| {
                reducer.rows(dst, &source[start * size..], size)
            }),
            _ if dst.len() > kept => parallel::write(device, dst, kept, ns, &|start, dst| {
                let first = start / kept;
                loops::by_blocks(dst, kept, |dst, range| {
                    let source = &source[(first + range.start / kept) * size..][..size];
                    reducer.results(dst, &totals(reducer, source, inner, kept), count)
                })
            }),
            _ => {
                let totals = whole(device, reducer, source, inner, kept);
                reducer.results(dst, &totals, count)
            }
        })
    })
}

type Totals<A> = SmallVec<[A; 8]>;

/// The totals of everything, of which the first dimension is reduced: on several threads by pieces of that.
fn whole<I: Plain, A: Plain>(
    device: &dyn Device,
    reducer: &DynReducer<I, A>,
    source: &[I],
    dims: &[Dim],
    kept: usize,
) -> Totals<A> {
    let (first, inner) = (dims[0].len, source.len() / dims[0].len);
    let piece = parallel::piece_len(device, first, ITEM_NS * inner as f64);
    if piece >= first {
        return totals(reducer, source, dims, kept);
    }
    let mut parts: Vec<Totals<A>> = vec![SmallVec::new(); first.div_ceil(piece)];
    parallel::for_pieces(device, &mut parts, 1, &|i, part| {
        let rows = piece.min(first - i * piece);
        let mut dims: SmallVec<[Dim; 4]> = SmallVec::from_slice(dims);
        dims[0].len = rows;
        part[0] = totals(
            reducer,
            &source[i * piece * inner..][..rows * inner],
            &dims,
            kept,
        );
    });
    let joined = parts.into_iter().reduce(|mut all, part| {
        reducer.join(&mut all, &part);
        all
    });
    joined.unwrap_or_default()
}

/// The totals of `source`, of shape `dims`.
fn totals<I: Plain, A: Plain>(
    reducer: &DynReducer<I, A>,
    source: &[I],
    dims: &[Dim],
    kept: usize,
) -> Totals<A> {
    let mut totals = SmallVec::from_elem(reducer.identity(), kept);
    add_up(reducer, source, dims, &mut totals);
    totals
}

/// Adds the items of `source`, of shape `dims`, to the totals that they belong to.
fn add_up<I: Plain, A: Plain>(
    reducer: &DynReducer<I, A>,
    source: &[I],
    dims: &[Dim],
    totals: &mut [A],
) {
    match dims {
        [] | [Dim { reduced: true, .. }] => {
            reducer.join(&mut totals[..1], &[reducer.row(source)]);
        }
        [_] => reducer.columns(totals, source, source.len(), 1),
        [
            Dim {
                reduced: true,
                len: rows,
            },
            _,
        ] => columns(reducer, totals, source, *rows),
        [dim, inner @ ..] => {
            let parts = source.chunks_exact(source.len() / dim.len);
            if dim.reduced {
                parts.for_each(|part| add_up(reducer, part, inner, totals));
            } else {
                let totals = totals.chunks_exact_mut(totals.len() / dim.len);
                parts
                    .zip(totals)
                    .for_each(|(part, totals)| add_up(reducer, part, inner, totals));
            }
        }
    }
}

/// Adds the rows of a matrix to the totals of its columns.
fn columns<I: Plain, A: Plain>(
    reducer: &DynReducer<I, A>,
    totals: &mut [A],
    source: &[I],
    rows: usize,
) {
    let width = totals.len();
    if width < SHORT && rows >= 2 * SHORT {
        // Several rows as one, so that there is something to vectorise: item `i` of it belongs to column `i % width`.
        let together = 2 * SHORT / width;
        let long = width * together;
        let mut wide: SmallVec<[A; 2 * SHORT]> = SmallVec::from_elem(reducer.identity(), long);
        let done = rows / together * long;
        columns(reducer, &mut wide, &source[..done], rows / together);
        wide.chunks_exact(width)
            .for_each(|wide| reducer.join(totals, wide));
        return reducer.columns(totals, &source[done..], width, rows % together);
    }
    let mut block: SmallVec<[A; 64]> = SmallVec::new();
    for (i, totals) in totals.chunks_mut(COLUMNS).enumerate() {
        let source = &source[i * COLUMNS..];
        if rows <= ROWS {
            reducer.columns(totals, source, width, rows);
            continue;
        }
        for first in (0..rows).step_by(ROWS) {
            block.clear();
            block.resize(totals.len(), reducer.identity());
            let rows = ROWS.min(rows - first);
            reducer.columns(&mut block, &source[first * width..], width, rows);
            reducer.join(totals, &block);
        }
    }
}
