//! `KernelAndDevice`: a kernel bound to its device, ready to be run on tensors.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tfe_attrs::{AttrBuilder, Attrs, FuncAttr, SpecRef};
use tfe_core::{DataType, Result, Tensor, err};
use tfe_device::{
    Arg, BoundKernel, Cancellation, Device, FunctionLibrary, KernelInit, KernelRegistry, OpInit,
    Run,
};
use tfe_function::{Library, Placement, PlanArg};
use tfe_ops::{OpRegistry, OpSpec};
use tfe_proto::tensorflow::NodeDef;

/// A kernel and the device that it runs on: what the cache of a context holds.
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
    kernel: BoundKernel,
    device: Arc<dyn Device>,
    functions: Arc<dyn FunctionLibrary>,
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
            op: OpInit {
                spec,
                attrs,
                node_name,
            },
            device: &**device,
            functions: &*functions,
        };
        Ok(Self {
            name: spec.name().into(),
            kernel: BoundKernel::new(def, kernels.rule(spec.id()), &init)?,
            device: Arc::clone(device),
            functions,
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
        let inputs: Vec<_> = plan.args().iter().map(PlanArg::arg).collect();
        let outputs: Vec<_> = plan.results().iter().map(PlanArg::arg).collect();
        let keeps_state = plan.keeps_state();
        Ok(Self {
            name: spec.name().into(),
            kernel: BoundKernel::from_parts(Box::new(plan), None, inputs, outputs)
                .with_state(keeps_state),
            bytes: attrs.values().map(|(_, value)| value.held_bytes()).sum(),
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
        let run = Run {
            node: &self.name,
            ..self.surroundings()
        };
        self.kernel.outputs_of(inputs.iter().cloned(), &run)
    }

    /// Checks the number and the types of inputs against the bound kernel.
    pub(crate) fn check(&self, count: usize, dtypes: impl Iterator<Item = DataType>) -> Result<()> {
        self.kernel.check(&self.name, count, dtypes)
    }

    /// Runs on checked inputs, takes over those that nobody else holds, and fills `outputs`.
    #[inline]
    pub(crate) fn run_slots(
        &self,
        inputs: &mut [Option<Tensor>],
        outputs: &mut [Option<Tensor>],
        cancellation: Option<&Cancellation>,
    ) -> Result<()> {
        let run = Run {
            cancellation,
            ..self.surroundings()
        };
        self.kernel.run(inputs, outputs, &run)
    }

    #[inline]
    fn surroundings(&self) -> Run<'_> {
        Run {
            functions: &*self.functions,
            ..Run::on(&*self.device)
        }
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
        self.kernel.inputs()
    }

    pub(crate) fn outputs(&self) -> &[Arg] {
        self.kernel.outputs()
    }

    pub(crate) fn keeps_state(&self) -> bool {
        self.kernel.keeps_state()
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
            self.inputs(),
            self.device.name()
        )
    }
}
