//! `Diag` and `DiagPart`: the elements of a tensor on the diagonal of one of twice its rank, and back.

use tfe_core::{DTypeSet, DataType, Result, Shape, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::movement::{Movement, moved};
use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: &[("T", TYPES)],
        ..KernelDef::cpu(ops::DIAG, build)
    },
    KernelDef {
        types: &[("T", TYPES)],
        ..KernelDef::cpu(ops::DIAG_PART, build_part)
    },
];

const TYPES: DTypeSet = DTypeSet::INDEX
    .union(DTypeSet::COMPLEX)
    .union(DTypeSet::of(&[
        DataType::Half,
        DataType::Float,
        DataType::Double,
    ]));

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        ensure!(
            input.rank() >= 1,
            InvalidArgument,
            "Input must be at least rank 1, got {}",
            input.rank()
        );
        let shape = Shape::new(&[input.dims(), input.dims()].concat())?;
        let diagonal = Diagonal {
            n: input.num_elements(),
        };
        let out = moved(
            ctx,
            ctx.allocate(input.dtype(), shape)?,
            input,
            None,
            &diagonal,
        )?;
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

fn build_part(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        ensure!(
            input.rank().is_multiple_of(2),
            InvalidArgument,
            "The rank of the tensor should be even and positive, got shape {}",
            input.shape()
        );
        let half = input.rank() / 2;
        let (rows, columns) = input.dims().split_at(half);
        for (i, (row, column)) in rows.iter().zip(columns).enumerate() {
            ensure!(
                row == column,
                InvalidArgument,
                "Invalid shape {}: dimensions {i} and {} do not match.",
                input.shape(),
                half + i
            );
        }
        let shape = Shape::new(rows)?;
        let n = shape.num_elements();
        let walk = Strided::new([(n, n as isize + 1)], 0);
        let out = strided::gather(ctx, input, &walk, shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
