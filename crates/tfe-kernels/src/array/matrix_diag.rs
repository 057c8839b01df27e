//! Diagonals of matrices: matrices made of them (`MatrixDiag`), the diagonals of matrices (`MatrixDiagPart`), and matrices
//! with other diagonals (`MatrixSetDiag`), each in three versions. The first knows the main diagonal alone, the second a
//! band of them, the third how they are aligned.

use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, bail, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::gather_rows::Rows;
use tfe_host::movement::{Movement, moved};
use tfe_host::update::{assignment, updated};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: TYPES,
        ..KernelDef::cpu(ops::MATRIX_DIAG, build)
    },
    KernelDef {
        types: TYPES,
        host_inputs: &["k", "num_rows", "num_cols", "padding_value"],
        ..KernelDef::cpu(ops::MATRIX_DIAG_V2, build)
    },
    KernelDef {
        types: TYPES,
        host_inputs: &["k", "num_rows", "num_cols", "padding_value"],
        ..KernelDef::cpu(ops::MATRIX_DIAG_V3, build)
    },
    KernelDef {
        types: TYPES,
        ..KernelDef::cpu(ops::MATRIX_DIAG_PART, build_part)
    },
    KernelDef {
        types: TYPES,
        host_inputs: &["k", "padding_value"],
        ..KernelDef::cpu(ops::MATRIX_DIAG_PART_V2, build_part)
    },
    KernelDef {
        types: TYPES,
        host_inputs: &["k", "padding_value"],
        ..KernelDef::cpu(ops::MATRIX_DIAG_PART_V3, build_part)
    },
    KernelDef {
        types: TYPES,
        ..KernelDef::cpu(ops::MATRIX_SET_DIAG, build_set)
    },
    KernelDef {
        types: TYPES,
        host_inputs: &["k"],
        ..KernelDef::cpu(ops::MATRIX_SET_DIAG_V2, build_set)
    },
    KernelDef {
        types: TYPES,
        host_inputs: &["k"],
        ..KernelDef::cpu(ops::MATRIX_SET_DIAG_V3, build_set)
    },
];

const TYPES: &[(&str, DTypeSet)] =
    &[("T", DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool])))];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let align = Align::of(init)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let diagonals = ctx.input(0);
        let has_band = ctx.num_inputs() > 1;
        let band = if has_band { Some(ctx.input(1)) } else { None };
        let (lower, upper) = band.map_or(Ok((0, 0)), range)?;
        let (outer, len) = longest(diagonals, lower, upper)?;
        let least = [len - upper.min(0), len + lower.max(0)];
        let given = match has_band {
            true => [
                number(ctx.input(2), "num_rows")?,
                number(ctx.input(3), "num_cols")?,
            ],
            false => [-1, -1],
        };
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
        let shape = Shape::new(&[outer, &[rows, columns]].concat())?;
        let padding = has_band.then(|| ctx.input(4));
        check_padding(padding, |padding| padding.rank() == 0)?;
        let matrices = Matrices(Band {
            rows,
            columns,
            lower,
            upper,
            len,
            align,
        });
        let out = moved(
            ctx,
            ctx.allocate(diagonals.dtype(), shape)?,
            diagonals,
            padding,
            &matrices,
        )?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// Checks what fills the places beside diagonals, if that is given. TensorFlow's ops differ in what they take for a scalar.
fn check_padding(padding: Option<&Tensor>, is_scalar: fn(&Tensor) -> bool) -> Result<()> {
    if let Some(padding) = padding {
        ensure!(
            is_scalar(padding),
            InvalidArgument,
            "padding_value must be a scalar, but has shape {}",
            padding.shape()
        );
    }
    Ok(())
}

fn build_part(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let align = Align::of(init)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let has_band = ctx.num_inputs() > 1;
        let band = Band::of(input, has_band.then(|| ctx.input(1)), align)?;
        let outer = &input.dims()[..input.rank() - 2];
        let shape = Shape::new(&[outer, &band.dims()].concat())?;
        let padding = has_band.then(|| ctx.input(2));
        check_padding(padding, |padding| padding.num_elements() == 1)?;
        let out = moved(
            ctx,
            ctx.allocate(input.dtype(), shape)?,
            input,
            padding,
            &Diagonals(band),
        )?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_set(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let align = Align::of(init)?;
    let assignment = assignment(init.attrs.dtype("T")?)?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (input, diagonals) = (ctx.input(0), ctx.input(1));
        let band = (ctx.num_inputs() > 2).then(|| ctx.input(2));
        let band = Band::of(input, band, align)?;
        let rank = input.rank();
        let wanted = [&input.dims()[..rank - 2], &band.dims()].concat();
        ensure!(
            diagonals.dims() == wanted,
            InvalidArgument,
            "diagonals {} to {} of a tensor of shape {} have the shape {wanted:?}, but got {}",
            band.lower,
            band.upper,
            input.shape(),
            diagonals.shape()
        );
        // Where in the matrices each of their elements is.
        let places = Diagonals(band);
        let places = (0..diagonals.num_elements()).map(|i| places.source(i).unwrap_or(Rows::NONE));
        let places: Vec<_> = places.collect();
        let to = ctx.take_input(0);
        let out = updated(to, ctx.input(1), &places, rank, assignment)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// The first and the last of the diagonals that are asked for.
fn range(band: &Tensor) -> Result<(i64, i64)> {
    ensure!(
        band.rank() <= 1,
        InvalidArgument,
        "diag_index must be a scalar or vector, received shape: {}",
        band.shape()
    );
    let (lower, upper) = match axes::integers(band)?[..] {
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
    Ok((lower, upper))
}

fn number(input: &Tensor, name: &str) -> Result<i64> {
    ensure!(
        input.rank() == 0,
        InvalidArgument,
        "{name} must be a scalar, received shape: {}",
        input.shape()
    );
    Ok(axes::integers(input)?[0])
}

/// Of diagonals that lie side by side: the dimensions of the matrices that they are of, and the length of the longest.
fn longest(diagonals: &Tensor, lower: i64, upper: i64) -> Result<(&[i64], i64)> {
    let count = upper - lower + 1;
    match (diagonals.dims(), count) {
        ([outer @ .., len], 1) => Ok((outer, *len)),
        ([outer @ .., n, len], count) if *n == count => Ok((outer, *len)),
        ([], _) => bail!(
            InvalidArgument,
            "diagonal must be at least 1-dim, received shape: {}",
            diagonals.shape()
        ),
        _ => bail!(
            InvalidArgument,
            "The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index range: {count} for shape {}",
            diagonals.shape()
        ),
    }
}

/// On which side shorter diagonals are padded.
#[derive(Clone, Copy)]
struct Align {
    left_above: bool,
    left_below: bool,
}

impl Align {
    /// From the attribute; versions without it align to the left.
    fn of(init: &KernelInit<'_>) -> Result<Self> {
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

/// Some neighbouring diagonals of matrices. Diagonal 0 is the main one, those above have positive numbers.
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
    /// The diagonals of `input` that are asked for.
    fn of(input: &Tensor, band: Option<&Tensor>, align: Align) -> Result<Self> {
        let &[.., rows, columns] = input.dims() else {
            bail!(
                InvalidArgument,
                "input must be at least 2-dim, received shape: {}",
                input.shape()
            );
        };
        let (lower, upper) = band.map_or(Ok((0, 0)), range)?;
        for (name, diagonal) in [("lower", lower), ("upper", upper)] {
            let exists = diagonal == 0 || (-rows < diagonal && diagonal < columns);
            ensure!(
                exists,
                InvalidArgument,
                "{name}_diag_index is out of bound: {diagonal}. It must be between {} and {}",
                -rows,
                columns
            );
        }
        let len = (rows + upper.min(0)).min(columns - lower.max(0));
        Ok(Self {
            rows,
            columns,
            lower,
            upper,
            len,
            align,
        })
    }

    /// The last dimensions of a tensor of the diagonals, side by side from the upper to the lower one.
    fn dims(&self) -> Vec<i64> {
        match self.upper - self.lower + 1 {
            1 => vec![self.len],
            count => vec![count, self.len],
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
        (self.rows + diagonal.min(0)).min(self.columns - diagonal.max(0))
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
