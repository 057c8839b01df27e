//! `Diag` and `DiagPart`: the elements of a tensor on the diagonal of one of twice its rank, and back.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::movement::{Movement, moved};
use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::DIAG, rule, build).of(&[("T", TYPES)]),
    KernelDef::host(ops::DIAG_PART, part_rule, build_part).of(&[("T", TYPES)]),
];

const TYPES: DTypeSet = DTypeSet::INDEX
    .union(DTypeSet::COMPLEX)
    .union(DTypeSet::of(&[
        DataType::Half,
        DataType::Float,
        DataType::Double,
    ]));

/// The dimensions of the input, twice.
fn rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        let Some(dims) = call.dims(0) else {
            return Ok(());
        };
        ensure!(
            !dims.is_empty(),
            InvalidArgument,
            "Input must be at least rank 1, got {}",
            dims.len()
        );
        call.set(0, &[dims, dims].concat())
    }))
}

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let diagonal = Diagonal {
            n: input.num_elements(),
        };
        let out = moved(ctx, ctx.output(0)?, input, None, &diagonal)?;
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

/// Half the dimensions of the input: it has each of them twice.
fn part_rule(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
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
        let mut diagonal = SmallVec::<[i64; 8]>::from_slice(&dims[..half]);
        for (i, (row, &column)) in diagonal.iter_mut().zip(&dims[half..]).enumerate() {
            *row = dim::merge(*row, column).ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "Invalid shape {}: dimensions {i} and {} do not match.",
                    call.shown(0),
                    half + i
                )
            })?;
        }
        call.set(0, &diagonal)
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
