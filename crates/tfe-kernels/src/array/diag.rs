//! `Diag` and `DiagPart`: the elements of a tensor on the diagonal of one of twice its rank, and back.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::movement::{Movement, moved};
use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::DIAG, rule, build).of(TYPES),
    KernelDef::host(ops::DIAG_PART, rule_of_part, build_part).of(TYPES),
];

const TYPES: &[(&str, DTypeSet)] = &[(
    "T",
    DTypeSet::INDEX
        .union(DTypeSet::COMPLEX)
        .union(DTypeSet::of(&[
            DataType::Half,
            DataType::Float,
            DataType::Double,
        ])),
)];

/// The dimensions of the input twice.
fn rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        call.at_least_rank(0, 1, || {
            err!(
                InvalidArgument,
                "Input must be at least rank 1, got {}",
                call.rank(0).unwrap_or_default()
            )
        })?;
        match call.dims(0) {
            Some(dims) => call.set(0, &[dims, dims].concat()),
            None => Ok(()),
        }
    }))
}

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let n = input.num_elements();
        let out = moved(ctx, ctx.output(0)?, input, None, &Diagonal { n })?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// A square matrix with the input on its diagonal.
struct Diagonal {
    n: usize,
}

impl Movement for Diagonal {
    fn source(&self, i: usize) -> Option<usize> {
        let (row, column) = (i / self.n, i % self.n);
        (row == column).then_some(row)
    }
}

/// Half of the dimensions of the input, which are the other half too.
fn rule_of_part(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        let Some(dims) = call.dims(0) else {
            return Ok(());
        };
        ensure!(
            dims.len().is_multiple_of(2),
            InvalidArgument,
            "The rank of the tensor should be even and positive, got shape {}",
            call.shown(0)
        );
        let half = dims.len() / 2;
        let mut result = SmallVec::<[i64; 8]>::new();
        for i in 0..half {
            result.push(dim::merge(dims[i], dims[half + i]).ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "Invalid shape {}: dimensions {i} and {} do not match.",
                    call.shown(0),
                    half + i
                )
            })?);
        }
        call.set(0, &result)
    }))
}

fn build_part(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let shape = ctx.output_shape(0)?.clone();
        let n = shape.num_elements();
        let walk = Strided::new([(n, n as isize + 1)], 0);
        let out = strided::gather(ctx, ctx.input(0), &walk, shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
