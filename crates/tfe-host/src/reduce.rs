//! Reductions along axes: which dimensions go, and the walk over what is reduced.

use std::mem::MaybeUninit;

use smallvec::SmallVec;
use tfe_core::{Plain, Result, Shape, Tensor, bail};
use tfe_device::{Device, Kernel, KernelContext, KernelInit};

use crate::{axes, fill, loops, parallel, scratch, scratch_of};

/// What is reduced: neighbouring dimensions that are both kept or both reduced are one, and those of size 1 are gone.
pub struct Geometry {
    dims: SmallVec<[Dim; 4]>,
}

#[derive(Clone, Copy)]
struct Dim {
    len: usize,
    reduced: bool,
}

/// Which of `rank` dimensions are reduced along `axes`.
///
/// # Errors
/// `InvalidArgument` for an axis that is not there, or is named twice.
fn reduced_dims(rank: usize, axes: &[i64]) -> Result<SmallVec<[bool; 8]>> {
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
    Ok(reduced)
}

/// The dimensions, perhaps unknown, of what comes of `dims` reduced along `axes`.
///
/// # Errors
/// `InvalidArgument` for an axis that is not there, or is named twice.
pub fn dims_of(dims: &[i64], axes: &[i64], keep_dims: bool) -> Result<SmallVec<[i64; 8]>> {
    let reduced = reduced_dims(dims.len(), axes)?;
    let dim = |(&d, &reduced): (&i64, &bool)| match (reduced, keep_dims) {
        (false, _) => Some(d),
        (true, true) => Some(1),
        (true, false) => None,
    };
    Ok(dims.iter().zip(&reduced).filter_map(dim).collect())
}

impl Geometry {
    /// The reduction of a tensor of `shape` along `axes`.
    ///
    /// # Errors
    /// As [`dims_of`].
    pub fn new(shape: &Shape, axes: &[i64]) -> Result<Self> {
        let reduced = reduced_dims(shape.rank(), axes)?;
        let mut dims: SmallVec<[Dim; 4]> = SmallVec::new();
        for (&d, &reduced) in shape.dims().iter().zip(&reduced) {
            let len = d as usize;
            match dims.last_mut() {
                _ if len == 1 => {}
                Some(last) if last.reduced == reduced => last.len *= len,
                _ => dims.push(Dim { len, reduced }),
            }
        }
        Ok(Self { dims })
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

/// The kernel that reduces `input` along the axes that `reduction_indices` lists; its rule is
/// [`rules::reduction`](crate::rules::reduction). Inputs of another type of the same width are taken for items by their
/// bits.
///
/// # Errors
/// `InvalidArgument` for an op without these inputs: a fault of the kernel.
pub fn kernel<R: Reducer + 'static>(init: &KernelInit<'_>, reducer: R) -> Result<Box<dyn Kernel>> {
    Ok(dyn_kernel::<R::Item, R::Total>(
        init.inputs(["input", "reduction_indices"])?,
        Box::new(reducer),
    ))
}

fn dyn_kernel<I: Plain, A: Plain>(
    [input, axes]: [usize; 2],
    reducer: Box<DynReducer<I, A>>,
) -> Box<dyn Kernel> {
    Box::new(move |ctx: &mut KernelContext<'_>| {
        let (axes, shape) = (axes::integers(ctx.input(axes))?, ctx.output_shape(0)?);
        let out = reduced(ctx, &*reducer, ctx.input(input), &axes, shape.clone())?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// `input` reduced along axes, to a tensor of `shape`.
///
/// # Errors
/// As [`dims_of`]; `ResourceExhausted`.
pub fn reduced<I: Plain, A: Plain>(
    ctx: &KernelContext<'_>,
    reducer: &DynReducer<I, A>,
    input: &Tensor,
    axes: &[i64],
    shape: Shape,
) -> Result<Tensor> {
    let dtype = input.dtype();
    if dtype != I::DTYPE {
        let bits = input.bitcast(I::DTYPE)?;
        return reduced(ctx, reducer, &bits, axes, shape)?.bitcast(dtype);
    }
    let Geometry { dims } = Geometry::new(input.shape(), axes)?;
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
            _ if dst.len() > kept => parallel::try_write(device, dst, kept, ns, &|start, dst| {
                let first = start / kept;
                let mut totals = identities(reducer, kept)?;
                Ok(loops::by_blocks(dst, kept, |dst, range| {
                    let source = &source[(first + range.start / kept) * size..][..size];
                    totals.fill(reducer.identity());
                    add_up(reducer, source, inner, &mut totals);
                    reducer.results(dst, &totals, count)
                }))
            })?,
            _ => {
                let totals = whole(device, reducer, source, inner, kept)?;
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
) -> Result<Totals<A>> {
    let (first, inner) = (dims[0].len, source.len() / dims[0].len);
    let piece = parallel::piece_len(device, first, ITEM_NS * inner as f64);
    if piece >= first {
        return totals(reducer, source, dims, kept);
    }
    let mut parts = scratch(first.div_ceil(piece))?;
    parts.resize_with(first.div_ceil(piece), || Ok(Totals::new()));
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
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap_or_else(|| identities(reducer, kept))?;
    for part in parts {
        reducer.join(&mut all, &part?);
    }
    Ok(all)
}

/// The totals of nothing.
fn identities<I: Plain, A: Plain>(reducer: &DynReducer<I, A>, kept: usize) -> Result<Totals<A>> {
    if kept <= Totals::<A>::new().inline_size() {
        return Ok(SmallVec::from_elem(reducer.identity(), kept));
    }
    Ok(scratch_of(reducer.identity(), kept)?.into())
}

/// The totals of `source`, of shape `dims`.
fn totals<I: Plain, A: Plain>(
    reducer: &DynReducer<I, A>,
    source: &[I],
    dims: &[Dim],
    kept: usize,
) -> Result<Totals<A>> {
    let mut totals = identities(reducer, kept)?;
    add_up(reducer, source, dims, &mut totals);
    Ok(totals)
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
