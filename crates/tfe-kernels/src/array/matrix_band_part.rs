//! `MatrixBandPart`: matrices with zeros outside of a band around the diagonal.

use tfe_core::{DTypeSet, DataType, Result, Tensor, bail, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::movement::{Movement, moved};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[
        ("T", DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool]))),
        ("Tindex", DTypeSet::INDEX),
    ],
    host_inputs: &["num_lower", "num_upper"],
    ..KernelDef::cpu(ops::MATRIX_BAND_PART, build)
}];

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let &[.., rows, columns] = input.dims() else {
            bail!(
                InvalidArgument,
                "input must be at least 2-dim, received shape: {}",
                input.shape()
            );
        };
        let band = Band {
            rows,
            columns,
            lower: width(ctx.input(1), "num_lower", "rows", rows)?,
            upper: width(ctx.input(2), "num_upper", "columns", columns)?,
        };
        let out = moved(
            ctx,
            ctx.allocate(input.dtype(), input.shape().clone())?,
            input,
            None,
            &band,
        )?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// How many diagonals there are on a side; all of them when the number is negative.
fn width(input: &Tensor, name: &str, what: &str, most: i64) -> Result<i64> {
    ensure!(
        input.rank() == 0,
        InvalidArgument,
        "{name} must be scalar, got shape {}",
        input.shape()
    );
    let given = axes::integers(input)?[0];
    ensure!(
        given <= most,
        InvalidArgument,
        "{name} must be negative or less or equal to number of {what} ({most}) got: {given}"
    );
    Ok(if given < 0 { i64::MAX } else { given })
}

struct Band {
    rows: i64,
    columns: i64,
    lower: i64,
    upper: i64,
}

impl Movement for Band {
    fn source(&self, i: usize) -> Option<usize> {
        let (row, column) = (i as i64 / self.columns % self.rows, i as i64 % self.columns);
        let inside = row - column <= self.lower && column - row <= self.upper;
        inside.then_some(i)
    }
}
