//! `Direct`: runs ops on a device without a runtime on top, the way a runtime would.

use tfe_attrs::{AttrBuilder, Attrs};
use tfe_core::{Result, Tensor, ensure};
use tfe_device::{
    BoundKernel, Device, KernelDef, KernelInit, KernelRegistry, NoFunctions, OpInit, Run,
};
use tfe_ops::{OpRegistry, OpSpec};

use crate::{NamedAttrs, Runner};

/// A device and the kernels for it.
pub struct Direct<'a> {
    device: &'a dyn Device,
    kernels: &'a KernelRegistry,
    ops: OpRegistry,
}

impl<'a> Direct<'a> {
    /// Runs TensorFlow's ops on `device` by the kernels that are for its type.
    pub fn new(device: &'a dyn Device, kernels: &'a KernelRegistry) -> Self {
        Self {
            device,
            kernels,
            ops: OpRegistry::new(),
        }
    }

    /// The device.
    pub fn device(&self) -> &'a dyn Device {
        self.device
    }

    /// The kernels.
    pub fn kernels(&self) -> &'a KernelRegistry {
        self.kernels
    }

    /// The ops.
    pub fn ops(&self) -> &OpRegistry {
        &self.ops
    }

    /// The attributes of a call, complete and checked, and its kernel if there is one.
    ///
    /// # Errors
    /// What is wrong with the call; `NotFound` when the op is unknown.
    pub fn find(
        &self,
        op: &str,
        attrs: &NamedAttrs,
        inputs: &[Tensor],
    ) -> Result<(&OpSpec, Attrs, Option<&KernelDef>)> {
        let spec = tfe_attrs::find_op(&self.ops, op)?;
        let mut builder = AttrBuilder::new(spec);
        for input in inputs {
            builder.add_input(input.dtype())?;
        }
        for (name, value) in attrs {
            builder.set(name, value.clone());
        }
        let attrs = builder.finish()?;
        let def = self
            .kernels
            .find(spec, self.device.name().device_type(), &attrs)?;
        Ok((spec, attrs, def.map(|def| &**def)))
    }

    /// Runs an op on inputs that lie anywhere, and leaves its results where the kernel put them.
    ///
    /// # Errors
    /// What is wrong with the call, `NotFound` when there is no kernel, and the kernel's errors.
    pub fn run_in_place(
        &self,
        op: &str,
        attrs: &NamedAttrs,
        inputs: &[Tensor],
    ) -> Result<Vec<Tensor>> {
        let (spec, attrs, def) = self.find(op, attrs, inputs)?;
        let device_type = self.device.name().device_type();
        let def = def.ok_or_else(|| {
            self.kernels
                .not_found(spec, device_type, spec.name(), &attrs)
        })?;
        let wanted = attrs.flat_inputs(spec)?;
        ensure!(
            wanted.len() == inputs.len(),
            InvalidArgument,
            "expected {} inputs, got {}",
            wanted.len(),
            inputs.len()
        );
        let mut slots = Vec::new();
        for (i, (&(name, dtype), input)) in wanted.iter().zip(inputs).enumerate() {
            ensure!(
                dtype == input.dtype(),
                InvalidArgument,
                "cannot compute {op} as input #{i}(zero-based) was expected to be a {dtype} tensor but is a {} tensor",
                input.dtype()
            );
            slots.push(Some(self.place(input, def.host_inputs.contains(&name))?));
        }
        let init = KernelInit {
            op: OpInit {
                spec,
                attrs: &attrs,
                node_name: spec.name(),
            },
            device: self.device,
            functions: &NoFunctions,
        };
        let kernel = BoundKernel::new(def, self.kernels.rule(spec.id()), &init)?;
        let mut outputs = vec![None; kernel.outputs().len()];
        kernel.run(&mut slots, &mut outputs, &Run::on(self.device))?;
        Ok(outputs.into_iter().flatten().collect())
    }

    fn place(&self, tensor: &Tensor, on_host: bool) -> Result<Tensor> {
        match (self.device.is_host() || on_host, tensor.is_host()) {
            (true, true) | (false, false) => Ok(tensor.clone()),
            (true, false) => self.device.copy_to_host(tensor),
            (false, true) => self.device.copy_from_host(tensor),
        }
    }
}

impl Runner for Direct<'_> {
    fn run(&self, op: &str, attrs: &NamedAttrs, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let results = self.run_in_place(op, attrs, inputs)?;
        results
            .iter()
            .map(|t| {
                if t.is_host() {
                    Ok(t.clone())
                } else {
                    self.device.copy_to_host(t)
                }
            })
            .collect()
    }
}
