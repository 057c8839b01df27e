//! `KernelAndDevice`: a kernel bound to its device, ready to be run on tensors.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use smallvec::SmallVec;
use tfe_attrs::{AttrBuilder, Attrs, FuncAttr, SpecRef};
use tfe_core::{DataType, Result, Tensor, bail, ensure, err};
use tfe_device::{Device, FunctionLibrary, Kernel, KernelContext, KernelInit, KernelRegistry};
use tfe_function::{Library, Placement, PlanArg};
use tfe_ops::{OpRegistry, OpSpec};
use tfe_proto::tensorflow::NodeDef;

/// One argument or result of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arg {
    pub(crate) dtype: DataType,
    /// Whether it lies in host memory, whatever the device.
    pub(crate) in_host_memory: bool,
}

/// A kernel and the device that it runs on: what the cache of a context holds, and what the seed's benchmarks time.
///
/// ```
/// use std::sync::Arc;
/// use tfe_attrs::AttrBuilder;
/// use tfe_eager::{DataType, Device, KernelAndDevice, Tensor};
/// use tfe_ops::OpRegistry;
///
/// let ops = OpRegistry::new();
/// let kernels = tfe_device::KernelRegistry::new(tfe_kernels::all());
/// let device: Arc<dyn Device> = Arc::new(tfe_cpu::CpuDevice::new(0, &tfe_cpu::CpuOptions::default()));
/// let matmul = ops.lookup("MatMul").ok_or("no such op")?;
/// let mut attrs = AttrBuilder::new(matmul);
/// attrs.set("T", DataType::Float).set("transpose_a", false).set("transpose_b", false).num_inputs(2);
/// let kernel = KernelAndDevice::from_op(&device, &attrs.build_node_def(), &ops, &kernels)?;
/// let t = Tensor::from_slice(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
/// let out = kernel.run(&[t.clone(), t])?;
/// assert_eq!(out[0].as_slice::<f32>()?, [7.0, 10.0, 15.0, 22.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct KernelAndDevice {
    name: Box<str>,
    kernel: Arc<dyn Kernel>,
    device: Arc<dyn Device>,
    functions: Arc<dyn FunctionLibrary>,
    inputs: SmallVec<[Arg; 4]>,
    outputs: SmallVec<[Arg; 2]>,
    keeps_state: bool,
    /// Memory that the attributes hold.
    bytes: usize,
    /// Second chance of the cache: set by use, taken by the clock hand.
    used: AtomicBool,
}

impl KernelAndDevice {
    /// The kernel of a primitive op, from a `NodeDef`, on `device`.
    ///
    /// # Errors
    /// `NotFound` for an unknown op or when no kernel fits; what is wrong with the attributes.
    pub fn from_op(
        device: &Arc<dyn Device>,
        node: &NodeDef,
        ops: &OpRegistry,
        kernels: &KernelRegistry,
    ) -> Result<Self> {
        let spec = tfe_attrs::find_op(ops, &node.op)?;
        let attrs = AttrBuilder::from_node_def(spec, node)?.finish()?;
        Self::new_op(
            device,
            spec,
            &attrs,
            &node.name,
            kernels,
            Arc::new(tfe_device::NoFunctions),
        )
    }

    pub(crate) fn new_op(
        device: &Arc<dyn Device>,
        spec: &OpSpec,
        attrs: &Attrs,
        node_name: &str,
        kernels: &KernelRegistry,
        functions: Arc<dyn FunctionLibrary>,
    ) -> Result<Self> {
        let device_type = device.name().device_type();
        let Some(def) = kernels.find(spec, device_type, attrs)? else {
            return Err(kernels.not_found(spec, device_type, node_name, attrs));
        };
        let init = KernelInit {
            spec,
            attrs,
            node_name,
            device: &**device,
            functions: &*functions,
        };
        let kernel = (def.build)(&init)?;
        let args = |flat: Vec<(&str, DataType)>, host: &[&str]| {
            flat.into_iter()
                .map(|(name, dtype)| Arg {
                    dtype,
                    in_host_memory: host.contains(&name) || device.is_host(),
                })
                .collect::<Vec<_>>()
        };
        Ok(Self {
            name: spec.name().into(),
            inputs: args(attrs.flat_inputs(spec)?, def.host_inputs).into(),
            outputs: args(attrs.flat_outputs(spec)?, def.host_outputs).into(),
            kernel: kernel.into(),
            device: Arc::clone(device),
            functions,
            keeps_state: def.keeps_state,
            bytes: attrs.iter().map(|(_, value)| value.held_bytes()).sum(),
            used: AtomicBool::new(true),
        })
    }

    /// A function of `functions` as a kernel, from a `NodeDef` that calls it, on `device`.
    ///
    /// # Errors
    /// `NotFound` for an unknown function; what is wrong with its attributes or its body.
    pub fn from_function(
        device: &Arc<dyn Device>,
        node: &NodeDef,
        functions: &Arc<Library>,
    ) -> Result<Self> {
        let function = functions
            .find(&node.op)
            .ok_or_else(|| err!(NotFound, "Function {} is not defined.", node.op))?;
        let attrs =
            AttrBuilder::from_node_def(SpecRef::Function(Arc::clone(function.spec())), node)?;
        Self::new_function(device, &attrs, None, functions)
    }

    /// `args` are the devices that the arguments belong to, when they are not all `device`.
    pub(crate) fn new_function(
        device: &Arc<dyn Device>,
        attrs: &AttrBuilder<'_>,
        args: Option<&[&dyn Device]>,
        functions: &Arc<Library>,
    ) -> Result<Self> {
        let spec = attrs.spec();
        // What the function does not declare is of no use to it.
        let declared = attrs
            .set_values()
            .filter(|(name, _)| spec.attr_slot(name).is_some());
        let call = declared.fold(FuncAttr::new(spec.name()), |f, (name, v)| {
            f.with(name, v.clone())
        });
        let placement = Placement {
            device: &**device,
            args,
            results_on_device: true,
        };
        let plan = functions.plan(&call, &placement)?;
        let args = |args: &[PlanArg]| {
            args.iter()
                .map(|a| Arg {
                    dtype: a.dtype,
                    in_host_memory: a.in_host_memory || a.device.is_host(),
                })
                .collect::<Vec<_>>()
        };
        Ok(Self {
            name: spec.name().into(),
            inputs: args(plan.args()).into(),
            outputs: args(plan.results()).into(),
            keeps_state: plan.keeps_state(),
            bytes: attrs.values().map(|(_, value)| value.held_bytes()).sum(),
            kernel: plan,
            device: Arc::clone(device),
            functions: Arc::<Library>::clone(functions),
            used: AtomicBool::new(true),
        })
    }

    /// The result of each output as a tensor, run on inputs that lie where the kernel wants them.
    ///
    /// # Errors
    /// `InvalidArgument` for another number or type of inputs, and the kernel's.
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        self.check(inputs.len(), inputs.iter().map(Tensor::dtype))?;
        let mut slots: SmallVec<[Option<Tensor>; 4]> = inputs.iter().cloned().map(Some).collect();
        let mut outputs = vec![None; self.outputs.len()];
        self.run_slots(&mut slots, &mut outputs)?;
        Ok(outputs.into_iter().flatten().collect())
    }

    /// Checks the number and the types of inputs against the bound kernel.
    pub(crate) fn check(&self, count: usize, dtypes: impl Iterator<Item = DataType>) -> Result<()> {
        ensure!(
            count == self.inputs.len(),
            InvalidArgument,
            "expected {} inputs, got {count}",
            self.inputs.len()
        );
        for (i, (arg, dtype)) in self.inputs.iter().zip(dtypes).enumerate() {
            if arg.dtype != dtype {
                bail!(
                    InvalidArgument,
                    "cannot compute {} as input #{i}(zero-based) was expected to be a {} tensor but is a {dtype} tensor",
                    self.name,
                    arg.dtype
                );
            }
        }
        Ok(())
    }

    /// Runs on checked inputs, takes over those that nobody else holds, and fills `outputs`.
    #[inline]
    pub(crate) fn run_slots(
        &self,
        inputs: &mut [Option<Tensor>],
        outputs: &mut [Option<Tensor>],
    ) -> Result<()> {
        let mut ctx = KernelContext::with_outputs(inputs, outputs, &*self.device, &*self.functions);
        self.device.compute(&*self.kernel, &mut ctx)?;
        ctx.finish()
    }

    /// The op or function.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The device.
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }

    pub(crate) fn inputs(&self) -> &[Arg] {
        &self.inputs
    }

    pub(crate) fn outputs(&self) -> &[Arg] {
        &self.outputs
    }

    pub(crate) fn keeps_state(&self) -> bool {
        self.keeps_state
    }

    /// About how much memory the kernel holds.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn mark_used(&self) {
        // Read first: a store by every call would be a shared write.
        if !self.used.load(Ordering::Relaxed) {
            self.used.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn take_used(&self) -> bool {
        self.used.swap(false, Ordering::Relaxed)
    }
}

impl fmt::Debug for KernelAndDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}({:?}) on {}",
            self.name,
            self.inputs,
            self.device.name()
        )
    }
}
