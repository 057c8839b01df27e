//! AddN: the sum of tensors of one shape.

use tfe_core::{DTypeSet, Result};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::function::{Function, SCRATCH, Scratch, zip};
use tfe_host::number::Number;
use tfe_host::{cost, elementwise, fill_bytes, loops, parallel, rules};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::NUMBER)],
    ..KernelDef::host(ops::ADD_N, rules::alike, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let plus = || function!(init.attrs.dtype("T")?, Number, |T| zip(T::plus));
    let (add, two) = (plus()?, elementwise::kernel(plus()?, cost::ARITHMETIC));
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        match ctx.num_inputs() {
            1 => {
                let only = ctx.take_input(0);
                ctx.set_output(0, only);
                Ok(())
            }
            2 => two.compute(ctx),
            _ => sum(ctx, &add),
        }
    }))
}

/// Adds up three terms or more, block by block.
fn sum(ctx: &mut KernelContext<'_>, add: &Function<2>) -> Result<()> {
    let width = ctx.output_dtype(0).size();
    let terms = ctx.input_range(0..ctx.num_inputs());
    let terms = terms.map(|t| t.as_bytes()).collect::<Result<Vec<_>>>()?;
    let out = ctx.output(0)?;
    let ns = cost::ARITHMETIC * terms.len() as f64 / width as f64;
    let out = fill_bytes(out, |dst| {
        Ok(parallel::write(
            ctx.device(),
            dst,
            width,
            ns,
            &|start, dst| {
                let mut memory = [const { Scratch::new() }; 2];
                loops::by_blocks(dst, SCRATCH, |dst, range| {
                    let n = dst.len();
                    let term = |k: usize| &terms[k][start + range.start..][..n];
                    let [sum, next] = &mut memory;
                    let sum = sum.0[..n].write_copy_of_slice(term(0));
                    for k in 1..terms.len() - 1 {
                        sum.copy_from_slice(add.run(&mut next.0[..n], [sum, term(k)]));
                    }
                    add.run(dst, [sum, term(terms.len() - 1)])
                })
            },
        ))
    })?;
    ctx.set_output(0, out);
    Ok(())
}
