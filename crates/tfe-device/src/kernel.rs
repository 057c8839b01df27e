//! Kernels and their declarations.

use tfe_attrs::Attrs;
use tfe_core::{DTypeSet, Result};
use tfe_ops::{OpId, OpSpec};

use crate::{Device, FunctionLibrary, KernelContext};

/// An op ready to run: attributes and data types are bound.
///
/// A kernel may be run from many threads at once. Closures over `&mut KernelContext` are kernels.
pub trait Kernel: Send + Sync {
    /// Reads the inputs of `ctx` and sets all its outputs.
    ///
    /// # Errors
    /// What is wrong with the inputs, in TensorFlow's codes; the runtime adds op and device.
    fn compute(&self, ctx: &mut KernelContext<'_>) -> Result<()>;
}

impl<F> Kernel for F
where
    F: Fn(&mut KernelContext<'_>) -> Result<()> + Send + Sync,
{
    fn compute(&self, ctx: &mut KernelContext<'_>) -> Result<()> {
        self(ctx)
    }
}

/// What a kernel is built from.
pub struct KernelInit<'a> {
    /// The op (or the function, seen as an op).
    pub spec: &'a OpSpec,
    /// All attributes, defaults filled in, checked against the spec.
    pub attrs: &'a Attrs,
    /// Name of the node; the op's name when it runs alone.
    pub node_name: &'a str,
    /// Where it will run.
    pub device: &'a dyn Device,
    /// Functions that it may call.
    pub functions: &'a dyn FunctionLibrary,
}

/// The declaration of a kernel: a plain struct literal next to the kernel's code.
///
/// ```ignore
/// pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
///     types: &[("T", DTypeSet::NUMBER)],
///     ..KernelDef::cpu(ops::MAT_MUL, build)
/// }];
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KernelDef {
    /// The op.
    pub op: OpId,
    /// The type of device that it runs on.
    pub device: &'static str,
    /// For type attributes: the data types that the kernel takes. An attribute that is not listed may be any.
    pub types: &'static [(&'static str, DTypeSet)],
    /// Arguments that must be in host memory, by name.
    pub host_inputs: &'static [&'static str],
    /// Results that are in host memory, by name.
    pub host_outputs: &'static [&'static str],
    /// Whether the kernel itself remembers something from call to call (a random number generator): such a kernel is
    /// never evicted from a cache, since its state would start anew.
    pub keeps_state: bool,
    /// Makes the kernel.
    pub build: fn(&KernelInit<'_>) -> Result<Box<dyn Kernel>>,
}

impl KernelDef {
    /// The same kernel for those data types of its type attributes, for rows of a table of kernels.
    #[must_use]
    pub const fn of(self, types: &'static [(&'static str, DTypeSet)]) -> Self {
        Self { types, ..self }
    }

    /// A kernel for the CPU without further facts, to be completed by struct update.
    pub const fn cpu(op: OpId, build: fn(&KernelInit<'_>) -> Result<Box<dyn Kernel>>) -> Self {
        Self {
            op,
            device: "CPU",
            types: &[],
            host_inputs: &[],
            host_outputs: &[],
            keeps_state: false,
            build,
        }
    }
}
