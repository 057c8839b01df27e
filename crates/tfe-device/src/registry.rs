//! `KernelRegistry`: which kernels there are, and which of them fits.

use std::fmt::Write;

use smallvec::SmallVec;
use tfe_attrs::Attrs;
use tfe_core::{DTypeSet, Result, bail, err};
use tfe_ops::{OpId, OpSpec};

use crate::{KernelDef, RuleBuilder};

/// All kernels that a runtime knows, by op.
#[derive(Debug, Default)]
pub struct KernelRegistry {
    by_op: Vec<SmallVec<[&'static KernelDef; 1]>>,
}

impl KernelRegistry {
    /// A registry of those kernels. Where two fit a call, the one that was given first wins.
    pub fn new(kernels: impl IntoIterator<Item = &'static KernelDef>) -> Self {
        let mut registry = Self::default();
        for kernel in kernels {
            let i = kernel.op.index();
            if registry.by_op.len() <= i {
                registry.by_op.resize_with(i + 1, SmallVec::new);
            }
            registry.by_op[i].push(kernel);
        }
        registry
    }

    /// The kernels of an op, on all devices.
    pub fn kernels(&self, op: OpId) -> &[&'static KernelDef] {
        self.by_op.get(op.index()).map_or(&[], |k| k)
    }

    /// The rule of an op, declared with its host kernel.
    pub fn rule(&self, op: OpId) -> Option<RuleBuilder> {
        self.kernels(op).iter().find_map(|kernel| kernel.rule)
    }

    /// The kernel of an op for that type of device and those attributes; `Ok(None)` when there is none.
    ///
    /// # Errors
    /// `InvalidArgument` when the choice depends on a type attribute that has no value.
    pub fn find(
        &self,
        spec: &OpSpec,
        device_type: &str,
        attrs: &Attrs,
    ) -> Result<Option<&'static KernelDef>> {
        for kernel in self
            .kernels(spec.id())
            .iter()
            .filter(|k| k.device == device_type)
        {
            let mut fits = true;
            for &(attr, allowed) in kernel.types {
                fits &= type_attr_in(spec, attrs, attr, allowed)?;
            }
            if fits {
                return Ok(Some(kernel));
            }
        }
        Ok(None)
    }

    /// Checks that every attribute by which kernels of an op are chosen has a value; `has` tells of one by name.
    ///
    /// # Errors
    /// `InvalidArgument` naming the first that has none: TensorFlow looks for a kernel before it looks at anything else.
    pub fn require(
        &self,
        spec: &OpSpec,
        device_type: &str,
        has: impl Fn(&str) -> bool,
    ) -> Result<()> {
        let kernels = self
            .kernels(spec.id())
            .iter()
            .filter(|k| k.device == device_type);
        match kernels.flat_map(|k| k.types).find(|(attr, _)| !has(attr)) {
            None => Ok(()),
            Some((attr, _)) => bail!(
                InvalidArgument,
                "OpKernel '{}' has constraint on attr '{attr}' not in NodeDef",
                spec.name()
            ),
        }
    }

    /// The error of a call that no kernel fits: says what was asked and what there is.
    pub fn not_found(
        &self,
        spec: &OpSpec,
        device_type: &str,
        node_name: &str,
        attrs: &Attrs,
    ) -> tfe_core::Error {
        let mut message = format!(
            "Could not find device for node: {{{{node {node_name}}}}} = {}[{attrs}]\nAll kernels registered for op {}:\n",
            spec.name(),
            spec.name()
        );
        for kernel in self.kernels(spec.id()) {
            // Writing to a string cannot fail.
            let _ = write!(message, "  device='{}'", kernel.device);
            for (attr, set) in kernel.types {
                let names: Vec<_> = set.iter().map(|d| d.proto_name()).collect();
                let _ = write!(message, "; {attr} in [{}]", names.join(", "));
            }
            message.push('\n');
        }
        if self.kernels(spec.id()).is_empty() {
            message.push_str("  <no registered kernels>\n");
        }
        let _ = write!(message, "wanted: device='{device_type}'");
        err!(NotFound, "{message}")
    }
}

/// Whether every type in attribute `name` (one, or a list) is in `allowed`.
fn type_attr_in(spec: &OpSpec, attrs: &Attrs, name: &str, allowed: DTypeSet) -> Result<bool> {
    if let Ok(dtype) = attrs.dtype(name) {
        return Ok(allowed.contains(dtype));
    }
    if let Ok(types) = attrs.type_list(name) {
        return Ok(types.iter().all(|&d| allowed.contains(d)));
    }
    bail!(
        InvalidArgument,
        "OpKernel '{}' has constraint on attr '{name}' not in NodeDef '[{attrs}]'",
        spec.name()
    )
}
