//! `Tile`: a tensor several times along each dimension.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, Result, ensure};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("Tmultiples", DTypeSet::INDEX)],
    host_inputs: &["multiples"],
    ..KernelDef::host(ops::TILE, rule, build)
}];

/// Each dimension times its multiple.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [input, multiples] = op.inputs(["input", "multiples"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        let rank = call.rank(input);
        ensure!(
            match (call.dims(multiples), rank) {
                (Some(&[n]), Some(rank)) => dim::merge(n, rank as i64).is_some(),
                (None | Some([_]), _) => true,
                _ => false,
            },
            InvalidArgument,
            "Expected multiples argument to be a vector of length {} but got length {}",
            rank.unwrap_or_default(),
            call.num_elements(multiples).unwrap_or_default()
        );
        let given = call.integers(multiples)?;
        for (i, &multiple) in given.iter().flatten().enumerate() {
            ensure!(
                multiple >= 0,
                InvalidArgument,
                "Expected multiples[{i}] >= 0, but got {multiple}"
            );
        }
        if let (Some(dims), Some(multiples)) = (call.dims(input), given) {
            let dims = dims.iter().zip(&multiples).map(|(&d, &m)| dim::mul(d, m));
            let dims = dims.collect::<Result<SmallVec<[i64; 8]>>>()?;
            return call.set(0, &dims);
        }
        if let Some(rank) = rank.or(call.entries(multiples)) {
            call.set_rank(0, rank);
        }
        Ok(())
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let [input, multiples] = init.inputs(["input", "multiples"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let (input, shape) = (ctx.input(input), ctx.output_shape(0)?.clone());
        let strides = strided::strides(input.dims());
        let sizes = input.dims().iter().zip(&strides);
        let multiples = axes::integers(ctx.input(multiples))?;
        let walk = multiples
            .iter()
            .zip(sizes)
            .flat_map(|(&m, (&dim, &stride))| [(m as usize, 0), (dim as usize, stride)]);
        let out = strided::gather(ctx, input, &Strided::new(walk, 0), shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
