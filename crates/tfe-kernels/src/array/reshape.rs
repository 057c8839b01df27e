//! `Reshape`: the same elements in another shape, sharing the memory.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, Error, Result, bail, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("Tshape", DTypeSet::INDEX)],
    host_inputs: &["shape"],
    ..KernelDef::host(ops::RESHAPE, rule, build)
}];

/// The shape that is asked for, by a vector or the size of the only dimension; of one size at most is said -1, which is
/// what the others leave.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [tensor, sizes] = op.inputs(["tensor", "shape"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        ensure!(
            call.rank(sizes).is_none_or(|rank| rank <= 1),
            InvalidArgument,
            "sizes input must be 1-D, not {}",
            call.shown(sizes)
        );
        let Some(mut dims) = call.integers(sizes)? else {
            if let Some(rank) = call.num_elements(sizes) {
                call.set_rank(0, rank as usize);
            }
            return Ok(());
        };
        let mut open = None;
        for (i, &size) in dims.iter().enumerate() {
            match (size, open) {
                (-1, Some(first)) => bail!(
                    InvalidArgument,
                    "Only one input size may be -1, not both {first} and {i}"
                ),
                (-1, None) => open = Some(i),
                (..=-2, _) => bail!(InvalidArgument, "Size {i} must be non-negative, not {size}"),
                _ => {}
            }
        }
        let input = call
            .dims(tensor)
            .filter(|dims| !dims.contains(&dim::UNKNOWN));
        if let (Some(i), Some(input)) = (open, input) {
            dims[i] = left(input, &dims)?;
        }
        call.set(0, &dims).map_err(|_| too_many(&dims))?;
        if let (Some(count), Some(asked)) =
            (call.num_elements(tensor), dim::known(dim::product(&dims)))
        {
            ensure!(
                count == asked,
                InvalidArgument,
                "Input to reshape is a tensor with {count} values, but the requested shape has {asked}"
            );
        }
        Ok(())
    }))
}

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let shape = ctx.output_shape(0)?.clone();
        let out = ctx.take_input(0).reshaped(shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// What the sizes other than -1 leave of a shape. Where one is 0, the zeros on both sides do not count: only the others
/// can say anything.
fn left(input: &[i64], sizes: &[i64]) -> Result<i64> {
    let empty = sizes.contains(&0);
    let mut positive = sizes.iter().filter(|&&size| size > 0);
    let asked = positive.try_fold(1i64, |n, &size| n.checked_mul(size));
    let asked = asked.ok_or_else(|| too_many(sizes))?;
    let counted = input.iter().filter(|&&d| d > 0 || !empty);
    let count: i64 = counted.product();
    ensure!(
        count % asked == 0 || (empty && input.contains(&0)),
        InvalidArgument,
        "Input to reshape is a tensor with {count} values, but the requested shape requires a multiple of {asked}"
    );
    Ok(count / asked)
}

fn too_many(sizes: &[i64]) -> Error {
    let sizes: SmallVec<[_; 8]> = sizes.iter().map(i64::to_string).collect();
    err!(
        InvalidArgument,
        "Shape [{}] has too many elements",
        sizes.join(", ")
    )
}
