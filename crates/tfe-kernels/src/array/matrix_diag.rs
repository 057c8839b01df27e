//! Diagonals of matrices: matrices made of them (`MatrixDiag`), the diagonals of matrices (`MatrixDiagPart`), and matrices
//! with other diagonals (`MatrixSetDiag`), each in three versions. The first knows the main diagonal alone, the second a
//! band of them, the third how they are aligned.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, PartialShape, Result, bail, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::gather_rows::Rows;
use tfe_host::movement::{Movement, moved};
use tfe_host::update::{assignment, updated};
use tfe_host::{axes, scratch};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::MATRIX_DIAG, rule, build).of(TYPES),
    KernelDef {
        host_inputs: &["k", "num_rows", "num_cols", "padding_value"],
        ..KernelDef::host(ops::MATRIX_DIAG_V2, rule, build).of(TYPES)
    },
    KernelDef {
        host_inputs: &["k", "num_rows", "num_cols", "padding_value"],
        ..KernelDef::host(ops::MATRIX_DIAG_V3, rule, build).of(TYPES)
    },
    KernelDef::host(ops::MATRIX_DIAG_PART, rule_of_part, build_part).of(TYPES),
    KernelDef {
        host_inputs: &["k", "padding_value"],
        ..KernelDef::host(ops::MATRIX_DIAG_PART_V2, rule_of_part, build_part).of(TYPES)
    },
    KernelDef {
        host_inputs: &["k", "padding_value"],
        ..KernelDef::host(ops::MATRIX_DIAG_PART_V3, rule_of_part, build_part).of(TYPES)
    },
    KernelDef::host(ops::MATRIX_SET_DIAG, rule_of_set, build_set).of(TYPES),
    KernelDef {
        host_inputs: &["k"],
        ..KernelDef::host(ops::MATRIX_SET_DIAG_V2, rule_of_set, build_set).of(TYPES)
    },
    KernelDef {
        host_inputs: &["k"],
        ..KernelDef::host(ops::MATRIX_SET_DIAG_V3, rule_of_set, build_set).of(TYPES)
    },
];

const TYPES: &[(&str, DTypeSet)] =
    &[("T", DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool])))];

type Dims = SmallVec<[i64; 8]>;

/// Matrices of the size that is asked for, or of the least that has the diagonals.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let diagonal = op.input("diagonal")?;
    let [k, rows, columns, padding] =
        ["k", "num_rows", "num_cols", "padding_value"].map(|name| op.input(name).ok());
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let range = range_of(call, k)?;
        let longest = range.map(|range| longest(call, diagonal, range));
        let longest = longest.transpose()?.flatten();
        let mut sizes = [dim::UNKNOWN; 2];
        let mut are_known = true;
        for (size, (i, name)) in sizes
            .iter_mut()
            .zip([(rows, "num_rows"), (columns, "num_cols")])
        {
            let Some(i) = i else { continue };
            call.of_rank(i, 0, || {
                err!(
                    InvalidArgument,
                    "{name} must be a scalar, received shape: {}",
                    call.shown(i)
                )
            })?;
            match call.integer(i)? {
                Some(given) => *size = given,
                None => are_known = false,
            }
        }
        if let (Some((_, len)), Some(range)) = (&longest, range)
            && are_known
            && *len != dim::UNKNOWN
        {
            sizes = matrix(*len, range, sizes)?;
        }
        if let Some((mut dims, _)) = longest {
            dims.extend_from_slice(&sizes);
            call.set(0, &dims)?;
        }
        // What is taken for a scalar differs from op to op.
        match padding {
            Some(padding) => {
                check_padding(call, padding, call.rank(padding).is_none_or(|r| r == 0))
            }
            None => Ok(()),
        }
    }))
}

/// The rows and columns of matrices with diagonals of that length, -1 where they are as few as can be.
fn matrix(len: i64, (lower, upper): Range, given: [i64; 2]) -> Result<[i64; 2]> {
    let least = [
        len.saturating_sub(upper.min(0)),
        len.saturating_add(lower.max(0)),
    ];
    let [rows, columns] = match given {
        [-1, -1] => [least[0].max(least[1]); 2],
        [-1, columns] => [least[0], columns],
        [rows, -1] => [rows, least[1]],
        both => both,
    };
    for (size, least, what) in [(rows, least[0], "rows"), (columns, least[1], "columns")] {
        ensure!(
            size >= least,
            InvalidArgument,
            "The number of {what} is too small."
        );
    }
    ensure!(
        rows == least[0] || columns == least[1],
        InvalidArgument,
        "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal."
    );
    Ok([rows, columns])
}

/// Of diagonals that lie side by side: the dimensions of the matrices that they are of, and the length of the longest.
fn longest(call: &Inference<'_>, i: usize, (lower, upper): Range) -> Result<Option<(Dims, i64)>> {
    let (Some(dims), count) = (call.dims(i), upper - lower + 1) else {
        return Ok(None);
    };
    match dims {
        [outer @ .., len] if count == 1 => Ok(Some((outer.into(), *len))),
        [outer @ .., n, len] if dim::merge(*n, count).is_some() => Ok(Some((outer.into(), *len))),
        [] => bail!(
            InvalidArgument,
            "diagonal must be at least 1-dim, received shape: {}",
            call.shown(i)
        ),
        _ => bail!(
            InvalidArgument,
            "The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index range: {count} for shape {}",
            call.shown(i)
        ),
    }
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (align, diagonal) = (Align::of(init)?, init.input("diagonal")?);
    let [k, padding] = ["k", "padding_value"].map(|name| init.input(name).ok());
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let matrices = Matrices(Band::of(ctx.output_shape(0)?.dims(), asked(ctx, k)?, align));
        let padding = padding.map(|i| ctx.input(i));
        let out = moved(ctx, ctx.output(0)?, ctx.input(diagonal), padding, &matrices)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// Checks what fills the places beside diagonals.
fn check_padding(call: &Inference<'_>, padding: usize, is_scalar: bool) -> Result<()> {
    ensure!(
        is_scalar,
        InvalidArgument,
        "padding_value must be a scalar, but has shape {}",
        call.shown(padding)
    );
    Ok(())
}

/// The diagonals that are asked for.
fn rule_of_part(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let input = op.input("input")?;
    let [k, padding] = ["k", "padding_value"].map(|name| op.input(name).ok());
    Ok(Box::new(move |call: &mut Inference<'_>| {
        if let Some((dims, _)) = part(call, input, k)? {
            call.set(0, &dims)?;
        }
        match padding {
            Some(padding) => {
                let one = call.num_elements(padding).is_none_or(|n| n == 1);
                check_padding(call, padding, one)
            }
            None => Ok(()),
        }
    }))
}

/// The shape of the diagonals of `input` that are asked for, and which those are.
fn part(call: &Inference<'_>, input: usize, k: Option<usize>) -> Result<Option<(Dims, Range)>> {
    call.at_least_rank(input, 2, || {
        err!(
            InvalidArgument,
            "input must be at least 2-dim, received shape: {}",
            call.shown(input)
        )
    })?;
    let range = range_of(call, k)?;
    let (Some([outer @ .., rows, columns]), Some((lower, upper))) = (call.dims(input), range)
    else {
        return Ok(None);
    };
    let mut dims = Dims::from_slice(outer);
    if upper > lower {
        dims.push(upper - lower + 1);
    }
    if [*rows, *columns].contains(&dim::UNKNOWN) {
        dims.push(dim::UNKNOWN);
        return Ok(Some((dims, (lower, upper))));
    }
    for (name, diagonal) in [("lower", lower), ("upper", upper)] {
        ensure!(
            diagonal == 0 || (-rows < diagonal && diagonal < *columns),
            InvalidArgument,
            "{name}_diag_index is out of bound: {diagonal}. It must be between {} and {columns}",
            -rows
        );
    }
    dims.push(len(*rows, *columns, (lower, upper)));
    Ok(Some((dims, (lower, upper))))
}

fn build_part(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (align, input) = (Align::of(init)?, init.input("input")?);
    let [k, padding] = ["k", "padding_value"].map(|name| init.input(name).ok());
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(input);
        let diagonals = Diagonals(Band::of(input.dims(), asked(ctx, k)?, align));
        let padding = padding.map(|i| ctx.input(i));
        let out = moved(ctx, ctx.output(0)?, input, padding, &diagonals)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// The shape of the input, whose diagonals are as long as those that are given.
fn rule_of_set(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let ([input, diagonal], k) = (op.inputs(["input", "diagonal"])?, op.input("k").ok());
    Ok(Box::new(move |call: &mut Inference<'_>| {
        if let (Some((wanted, (lower, upper))), Some(given)) =
            (part(call, input, k)?, call.dims(diagonal))
        {
            ensure!(
                dim::may_be_equal(given, &wanted),
                InvalidArgument,
                "diagonals {lower} to {upper} of a tensor of shape {} have the shape {}, but got {}",
                call.shown(input),
                PartialShape::of(&wanted),
                call.shown(diagonal)
            );
        }
        call.set_like(0, input);
        Ok(())
    }))
}

fn build_set(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let align = Align::of(init)?;
    let assignment = assignment(init.attrs.dtype("T")?)?;
    let ([input, diagonal], k) = (init.inputs(["input", "diagonal"])?, init.input("k").ok());
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let rank = ctx.input(input).rank();
        // Where in the matrices each element of the diagonals is.
        let band = Diagonals(Band::of(ctx.input(input).dims(), asked(ctx, k)?, align));
        let n = ctx.input(diagonal).num_elements();
        let mut places = scratch(n)?;
        places.extend((0..n).map(|i| band.source(i).unwrap_or(Rows::NONE)));
        let to = ctx.take_input(input);
        let out = updated(to, ctx.input(diagonal), &places, rank, assignment)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// The first and the last of some neighbouring diagonals. Diagonal 0 is the main one, those above have positive numbers.
type Range = (i64, i64);

/// The diagonals that input `k` asks for, the main one where there is no such input; `None` when that is not known.
fn range_of(call: &Inference<'_>, k: Option<usize>) -> Result<Option<Range>> {
    let Some(k) = k else {
        return Ok(Some((0, 0)));
    };
    ensure!(
        call.rank(k).is_none_or(|rank| rank <= 1),
        InvalidArgument,
        "diag_index must be a scalar or vector, received shape: {}",
        call.shown(k)
    );
    let Some(given) = call.integers(k)? else {
        return Ok(None);
    };
    let (lower, upper) = match given[..] {
        [one] => (one, one),
        [lower, upper] => (lower, upper),
        ref more => bail!(
            InvalidArgument,
            "diag_index must have only one or two elements, received {} elements.",
            more.len()
        ),
    };
    ensure!(
        lower <= upper,
        InvalidArgument,
        "lower_diag_index must not be larger than upper_diag_index: {lower} > {upper}"
    );
    Ok(Some((lower, upper)))
}

/// The same for a kernel, whose rule has checked it.
fn asked(ctx: &KernelContext<'_>, k: Option<usize>) -> Result<Range> {
    let Some(k) = k else {
        return Ok((0, 0));
    };
    let given = axes::integers(ctx.input(k))?;
    Ok((given[0], given[given.len() - 1]))
}

/// The length of the longest of some diagonals of a matrix.
fn len(rows: i64, columns: i64, (lower, upper): Range) -> i64 {
    (rows + upper.min(0)).min(columns - lower.max(0))
}

/// On which side shorter diagonals are padded.
#[derive(Clone, Copy)]
struct Align {
    left_above: bool,
    left_below: bool,
}

impl Align {
    /// From the attribute; versions without it align to the left.
    fn of(init: &OpInit<'_>) -> Result<Self> {
        let align = match init.attrs.find("align") {
            Some(_) => init.attrs.str("align")?,
            None => "LEFT_LEFT",
        };
        Ok(Self {
            left_above: align.starts_with("LEFT"),
            left_below: align.ends_with("LEFT"),
        })
    }
}

/// Some neighbouring diagonals of matrices.
struct Band {
    rows: i64,
    columns: i64,
    lower: i64,
    upper: i64,
    /// The length of the longest diagonal, to which the others are padded.
    len: i64,
    align: Align,
}

impl Band {
    /// Those diagonals of matrices with these dimensions, of which there are two at least.
    fn of(dims: &[i64], (lower, upper): Range, align: Align) -> Self {
        let (rows, columns) = (dims[dims.len() - 2], dims[dims.len() - 1]);
        Self {
            rows,
            columns,
            lower,
            upper,
            len: len(rows, columns, (lower, upper)),
            align,
        }
    }

    /// By how much a diagonal is moved to the right.
    fn padding(&self, diagonal: i64) -> i64 {
        let left =
            (diagonal >= 0 && self.align.left_above) || (diagonal <= 0 && self.align.left_below);
        if left {
            0
        } else {
            self.len - self.length(diagonal)
        }
    }

    fn length(&self, diagonal: i64) -> i64 {
        len(self.rows, self.columns, (diagonal, diagonal))
    }
}

/// Matrices from their diagonals.
struct Matrices(Band);

impl Movement for Matrices {
    fn source(&self, i: usize) -> Option<usize> {
        let band = &self.0;
        let (i, size) = (i as i64, band.rows * band.columns);
        let (matrix, row, column) = (i / size, i % size / band.columns, i % band.columns);
        let diagonal = column - row;
        if diagonal < band.lower || diagonal > band.upper {
            return None;
        }
        let line = matrix * (band.upper - band.lower + 1) + band.upper - diagonal;
        Some((line * band.len + row.min(column) + band.padding(diagonal)) as usize)
    }
}

/// The diagonals of matrices.
struct Diagonals(Band);

impl Movement for Diagonals {
    fn source(&self, i: usize) -> Option<usize> {
        let band = &self.0;
        let (line, count) = (i as i64 / band.len, band.upper - band.lower + 1);
        let (matrix, diagonal) = (line / count, band.upper - line % count);
        let at = i as i64 % band.len - band.padding(diagonal);
        if at < 0 || at >= band.length(diagonal) {
            return None;
        }
        let (row, column) = (at - diagonal.min(0), at + diagonal.max(0));
        Some(((matrix * band.rows + row) * band.columns + column) as usize)
    }
}
