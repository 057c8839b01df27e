//! `BroadcastTo`: a tensor repeated along its dimensions of size 1, and along new ones before them.

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Result, Shape, bail, ensure};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::strided::{self, Strided};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", TYPES), ("Tidx", DTypeSet::INDEX)],
    host_inputs: &["shape"],
    ..KernelDef::cpu(ops::BROADCAST_TO, build)
}];

const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Resource,
    DataType::Variant,
    DataType::Float8E4m3fn,
    DataType::Float8E5m2,
]));

fn build(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    Ok(Box::new(|ctx: &mut KernelContext<'_>| {
        let (input, sizes) = (ctx.input(0), ctx.input(1));
        ensure!(
            sizes.rank() == 1,
            InvalidArgument,
            "shape must be a vector of {{int32,int64}}, got shape {}",
            sizes.shape()
        );
        let shape = Shape::new(&axes::integers(sizes)?)?;
        ensure!(
            input.rank() <= shape.rank(),
            InvalidArgument,
            "Rank of input ({}) must be no greater than rank of output shape ({}).",
            input.rank(),
            shape.rank()
        );
        let strides = strided::strides(input.dims());
        let new = shape.rank() - input.rank();
        let mut walk = SmallVec::<[(usize, isize); 8]>::new();
        for (i, &len) in shape.dims().iter().enumerate() {
            let own = i.checked_sub(new).map(|i| (input.dims()[i], strides[i]));
            let stride = match own {
                None | Some((1, _)) => 0,
                Some((own, stride)) if own == len => stride,
                Some(_) => bail!(
                    InvalidArgument,
                    "Incompatible shapes: {} vs. {shape}",
                    input.shape()
                ),
            };
            walk.push((len as usize, stride));
        }
        let out = strided::gather(ctx, input, &Strided::new(walk, 0), shape)?;
        ctx.set_output(0, out);
        Ok(())
    }))
}
