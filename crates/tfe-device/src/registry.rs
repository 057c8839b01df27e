//! `KernelRegistry`: which kernels there are, and which of them fits.

use std::fmt::Write;
use std::ops::Deref;
use std::sync::Arc;

use smallvec::SmallVec;
use tfe_attrs::{Attrs, unset_attr};
use tfe_core::{DTypeSet, DataType, Result, err};
use tfe_ops::{OpId, OpSpec};

use crate::{KernelDef, RuleBuilder};

/// A declaration in a registry: one that is part of the program, or one that was made while it runs, for an op that the
/// program registers.
#[derive(Clone, Debug)]
pub enum KernelRef {
    /// Part of the program.
    Static(&'static KernelDef),
    /// Made while it runs; gone with the last registry that has it.
    Made(Arc<KernelDef>),
}

impl Deref for KernelRef {
    type Target = KernelDef;

    fn deref(&self) -> &KernelDef {
        match self {
            KernelRef::Static(def) => def,
            KernelRef::Made(def) => def,
        }
    }
}

impl From<&'static KernelDef> for KernelRef {
    fn from(def: &'static KernelDef) -> Self {
        KernelRef::Static(def)
    }
}

impl From<KernelDef> for KernelRef {
    fn from(def: KernelDef) -> Self {
        KernelRef::Made(Arc::new(def))
    }
}

/// All kernels that a runtime knows, by op.
#[derive(Debug, Default)]
pub struct KernelRegistry {
    by_op: Vec<SmallVec<[KernelRef; 1]>>,
}

impl KernelRegistry {
    /// A registry of those kernels. Where two fit a call, the one that was given first wins.
    pub fn new(kernels: impl IntoIterator<Item = impl Into<KernelRef>>) -> Self {
        let mut registry = Self::default();
        for kernel in kernels {
            let kernel = kernel.into();
            let i = kernel.op.index();
            if registry.by_op.len() <= i {
                registry.by_op.resize_with(i + 1, SmallVec::new);
            }
            registry.by_op[i].push(kernel);
        }
        registry
    }

    /// The kernels of an op, on all devices.
    pub fn kernels(&self, op: OpId) -> &[KernelRef] {
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
    ) -> Result<Option<&KernelRef>> {
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
            Some((attr, _)) => {
                let e = err!(
                    InvalidArgument,
                    "OpKernel '{}' has constraint on attr '{attr}' not in NodeDef",
                    spec.name()
                );
                Err(e.explained(unset_attr(spec, attr)))
            }
        }
    }

    /// Why no kernel fits a call on a device of one of those types, in plain words.
    pub fn why_none(&self, spec: &OpSpec, device_types: &[&str], attrs: &Attrs) -> String {
        let (op, devices) = (spec.name(), device_types.join(" or "));
        let all = self.kernels(spec.id());
        if all.is_empty() {
            return format!("there is no kernel for {op} here: it cannot be run");
        }
        let here = all.iter().filter(|k| device_types.contains(&k.device));
        if here.clone().next().is_none() {
            let mut others: Vec<&str> = all.iter().map(|k| k.device).collect();
            others.dedup();
            let others = others.join(" and ");
            return format!("{op} has kernels for {others} and none for {devices}");
        }
        // The types that each attribute may have in some kernel: what is in none of them is what is wrong.
        let mut taken: Vec<(&str, DTypeSet)> = Vec::new();
        for &(attr, set) in here.flat_map(|k| k.types) {
            match taken.iter_mut().find(|(name, _)| *name == attr) {
                Some((_, types)) => *types = types.union(set),
                None => taken.push((attr, set)),
            }
        }
        let wrong = taken.iter().find_map(|&(attr, set)| {
            let fits = type_attr_in(spec, attrs, attr, set);
            matches!(fits, Ok(false)).then_some((attr, set))
        });
        let value = |attr: &str| {
            let value = attrs.find(attr).map(ToString::to_string);
            format!("{attr}={}", value.unwrap_or_default())
        };
        match wrong {
            Some((attr, set)) => {
                let names: Vec<_> = set.iter().map(DataType::proto_name).collect();
                let (given, names) = (value(attr), names.join(", "));
                format!("{op} has no kernel for {given} on {devices}; {attr} may be {names}")
            }
            None => {
                let given: Vec<_> = taken.iter().map(|(attr, _)| value(attr)).collect();
                let given = given.join(", ");
                format!("{op} has no kernel on {devices} for these types together: {given}")
            }
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
        let plainly = self.why_none(spec, &[device_type], attrs);
        err!(NotFound, "{message}").explained(plainly)
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
    let e = err!(
        InvalidArgument,
        "OpKernel '{}' has constraint on attr '{name}' not in NodeDef '[{attrs}]'",
        spec.name()
    );
    Err(e.explained(unset_attr(spec, name)))
}
