//! Kernels and their declarations.

use std::ops::Deref;

use tfe_core::{DTypeSet, Result};
use tfe_ops::OpId;

use crate::{Device, FunctionLibrary, KernelContext, OpInit, RuleBuilder};

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

impl<K: Kernel + ?Sized> Kernel for std::sync::Arc<K> {
    #[inline]
    fn compute(&self, ctx: &mut KernelContext<'_>) -> Result<()> {
        (**self).compute(ctx)
    }
}

/// What a kernel is built from: the op with its attributes, which it dereferences to, and where it will run.
pub struct KernelInit<'a> {
    /// The op and its attributes.
    pub op: OpInit<'a>,
    /// Where it will run.
    pub device: &'a dyn Device,
    /// Functions that it may call.
    pub functions: &'a dyn FunctionLibrary,
}

impl<'a> Deref for KernelInit<'a> {
    type Target = OpInit<'a>;

    fn deref(&self) -> &OpInit<'a> {
        &self.op
    }
}

/// The declaration of a kernel: a plain struct literal next to the kernel's code.
///
/// ```ignore
/// pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
///     types: &[("T", DTypeSet::NUMBER)],
///     ..KernelDef::host(ops::MAT_MUL, rule, build)
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
    /// Whether a run may wait for another run, as of a queue: runtimes give it a thread that nothing else needs.
    pub blocks: bool,
    /// The rule of the op: declared once, beside its host kernel, and used for the kernels of all devices.
    pub rule: Option<RuleBuilder>,
    /// Makes the kernel.
    pub build: fn(&KernelInit<'_>) -> Result<Box<dyn Kernel>>,
}

impl KernelDef {
    /// The same kernel for those data types of its type attributes, for rows of a table of kernels.
    #[must_use]
    pub const fn of(self, types: &'static [(&'static str, DTypeSet)]) -> Self {
        Self { types, ..self }
    }

    /// The host kernel of an op, and the op's rule, without further facts: to be completed by struct update.
    pub const fn host(
        op: OpId,
        rule: RuleBuilder,
        build: fn(&KernelInit<'_>) -> Result<Box<dyn Kernel>>,
    ) -> Self {
        Self {
            rule: Some(rule),
            ..Self::on("CPU", op, build)
        }
    }

    /// The kernel of an op for another type of device: the rule is that of the host kernel.
    pub const fn on(
        device: &'static str,
        op: OpId,
        build: fn(&KernelInit<'_>) -> Result<Box<dyn Kernel>>,
    ) -> Self {
        Self {
            op,
            device,
            types: &[],
            host_inputs: &[],
            host_outputs: &[],
            keeps_state: false,
            blocks: false,
            rule: None,
            build,
        }
    }
}
