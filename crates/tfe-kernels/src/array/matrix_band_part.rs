//! `MatrixBandPart`: matrices with zeros outside of a band around the diagonal.

use tfe_core::{DTypeSet, DataType, Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::movement::{Movement, moved};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[
        ("T", DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool]))),
        ("Tindex", DTypeSet::INDEX),
    ],
    host_inputs: &["num_lower", "num_upper"],
    ..KernelDef::host(ops::MATRIX_BAND_PART, rule, build)
}];

/// The shape of the input, whose matrices have as many diagonals as are to be kept.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [input, lower, upper] = op.inputs(["input", "num_lower", "num_upper"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.at_least_rank(input, 2, || {
            err!(
                InvalidArgument,
                "input must be at least 2-dim, received shape: {}",
                call.shown(input)
            )
        })?;
        let [rows, columns] = match call.dims(input) {
            Some(&[.., rows, columns]) => [rows, columns],
            _ => [dim::UNKNOWN; 2],
        };
        for (i, name, what, most) in [
            (lower, "num_lower", "rows", rows),
            (upper, "num_upper", "columns", columns),
        ] {
            call.of_rank(i, 0, || {
                err!(
                    InvalidArgument,
                    "{name} must be scalar, got shape {}",
                    call.shown(i)
                )
            })?;
            let given = call.integer(i)?.unwrap_or(-1);
            ensure!(
                most == dim::UNKNOWN || given <= most,
                InvalidArgument,
                "{name} must be negative or less or equal to number of {what} ({most}) got: {given}"
            );
        }
        call.set_like(0, input);
        Ok(())
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let [input, lower, upper] = init.inputs(["input", "num_lower", "num_upper"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(input);
        let shape = input.shape();
        // All of a side where the number is negative.
        let width = |i: usize| ctx.integer(i).map(|n| if n < 0 { i64::MAX } else { n });
        let band = Band {
            rows: shape.dim(shape.rank() - 2) as i64,
            columns: shape.dim(shape.rank() - 1) as i64,
            lower: width(lower)?,
            upper: width(upper)?,
        };
        let out = moved(ctx, ctx.output(0)?, input, None, &band)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

struct Band {
    rows: i64,
    columns: i64,
    /// How many diagonals are kept below the main one.
    lower: i64,
    /// And above.
    upper: i64,
}

impl Movement for Band {
    fn source(&self, i: usize) -> Option<usize> {
        let (row, column) = (i as i64 / self.columns % self.rows, i as i64 % self.columns);
        let inside = row - column <= self.lower && column - row <= self.upper;
        inside.then_some(i)
    }
}
