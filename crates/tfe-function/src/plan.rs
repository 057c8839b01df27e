//! `Plan`: a function that is ready to run.

use std::fmt;
use std::sync::{Arc, Mutex};

use tfe_core::{DataType, Error, Result, Tensor};
use tfe_device::{Arg, BoundKernel, Device, FunctionLibrary, KernelInit, OpInit};

use crate::Function;
use crate::copy::Route;
use crate::graph::Graph;
use crate::place::{Home, PlacedGraph, PlacedNode, Places, Task};
use crate::slots::{self, Operand, Place, Target};

/// A function bound to its attributes and a device: its nodes in the order in which they run, their kernels built.
///
/// A plan is a [`Kernel`](tfe_device::Kernel): it runs like any op. It may run from many threads at once, and it may outlive the function
/// that it was made of.
pub struct Plan {
    pub(crate) functions: Vec<Arc<Function>>,
    args: Vec<PlanArg>,
    results: Vec<PlanArg>,
    keeps_state: bool,

    // What running it touches.
    pub(crate) arg_types: Box<[DataType]>,
    pub(crate) steps: Box<[Step]>,
    pub(crate) operands: Box<[Operand]>,
    pub(crate) targets: Box<[Target]>,
    pub(crate) result_operands: Box<[Operand]>,
    /// The device that it was made for.
    pub(crate) device: Arc<dyn Device>,
    /// All devices of the context, by number.
    pub(crate) devices: Vec<Arc<dyn Device>>,
    pub(crate) num_slots: usize,
    /// Slots, and room for the inputs and outputs of the widest step.
    pub(crate) frame_len: usize,
    /// Frames of earlier runs, for plans whose frame is too long for the stack.
    pub(crate) frames: Mutex<Vec<Vec<Option<Tensor>>>>,

    /// Names of the steps, for messages.
    pub(crate) labels: Box<[Label]>,
}

/// An argument or a result of a plan.
#[derive(Clone, Debug)]
pub struct PlanArg {
    /// The type.
    pub dtype: DataType,
    /// The device that it belongs to.
    pub device: Arc<dyn Device>,
    /// Whether it lies in host memory, whatever the device.
    pub in_host_memory: bool,
}

impl PlanArg {
    /// What a runtime needs to know of it.
    pub fn arg(&self) -> Arg {
        Arg {
            dtype: self.dtype,
            in_host_memory: self.in_host_memory || self.device.is_host(),
        }
    }
}

/// What a step does.
pub(crate) enum Action {
    Run(BoundKernel),
    Copy(Route),
}

/// One thing to do.
pub(crate) struct Step {
    pub(crate) action: Action,
    /// Which of the plan's operands are its inputs: from here on, so many.
    pub(crate) first_operand: u32,
    pub(crate) num_operands: u32,
    /// Which of the plan's targets take its outputs.
    pub(crate) first_target: u32,
    pub(crate) num_targets: u32,
    /// The device that it runs on.
    pub(crate) device: u32,
    /// Whether that is another device than the plan's own: then the device has to make its own surroundings.
    pub(crate) is_remote: bool,
}

/// What messages say of a step.
pub(crate) struct Label {
    pub(crate) op: Box<str>,
    pub(crate) node: Box<str>,
    /// The function that the node comes from.
    pub(crate) function: usize,
}

impl Plan {
    pub(crate) fn new(
        mut graph: Graph<'_>,
        places: &Places<'_>,
        functions: &dyn FunctionLibrary,
    ) -> Result<Self> {
        let sources = std::mem::take(&mut graph.functions);
        let arg_types: Box<[DataType]> = graph.args.as_slice().into();
        let result_types: Vec<_> = graph.results.iter().map(|&(_, dtype)| dtype).collect();
        let placed = places.place(graph)?;
        let slots = slots::assign(&placed, arg_types.len());
        let describe = |(dtype, home): (DataType, Home)| PlanArg {
            dtype,
            device: Arc::clone(&places.devices[home.device]),
            in_host_memory: home.in_host_memory,
        };
        let arg_home = |(&dtype, &device): (&DataType, &usize)| (dtype, places.home(device, dtype));
        let args = arg_types
            .iter()
            .zip(&places.args)
            .map(arg_home)
            .map(describe);
        let homes = placed.results.iter().map(|&(_, home)| home);
        let mut plan = Self {
            args: args.collect(),
            results: result_types.into_iter().zip(homes).map(describe).collect(),
            keeps_state: placed.nodes.iter().any(keeps_state),
            functions: sources,
            arg_types,
            steps: Box::default(),
            operands: Box::default(),
            targets: Box::default(),
            result_operands: slots.results.into(),
            device: Arc::clone(&places.devices[places.target]),
            devices: places.devices.to_vec(),
            num_slots: slots.count,
            frame_len: slots.count + widest(&slots.nodes),
            frames: Mutex::default(),
            labels: Box::default(),
        };
        plan.build_steps(placed, slots.nodes, places, functions)?;
        Ok(plan)
    }

    fn build_steps(
        &mut self,
        placed: PlacedGraph<'_>,
        slots: Vec<(Vec<Operand>, Vec<Target>)>,
        places: &Places<'_>,
        functions: &dyn FunctionLibrary,
    ) -> Result<()> {
        let (mut steps, mut operands, mut targets, mut labels) = (vec![], vec![], vec![], vec![]);
        for (node, (inputs, outputs)) in placed.nodes.into_iter().zip(slots) {
            let op = match &node.task {
                Task::Run(spec, ..) => spec.name(),
                Task::Copy(_) => "copy",
            };
            labels.push(Label {
                op: op.into(),
                node: node.name.clone(),
                function: node.function,
            });
            let device = &self.devices[node.device];
            steps.push(Step {
                first_operand: operands.len() as u32,
                num_operands: inputs.len() as u32,
                first_target: targets.len() as u32,
                num_targets: outputs.len() as u32,
                device: node.device as u32,
                // Copies are the device's own work already.
                is_remote: node.device != places.target && matches!(node.task, Task::Run(..)),
                action: match node.task {
                    Task::Copy(route) => Action::Copy(route),
                    Task::Run(spec, attrs, kernel) => {
                        let init = KernelInit {
                            op: OpInit {
                                spec,
                                attrs: &attrs,
                                node_name: &node.name,
                            },
                            device: &**device,
                            functions,
                        };
                        let kernel =
                            BoundKernel::new(&kernel, places.kernels.rule(spec.id()), &init)
                                .map_err(|e| self.at(&e, &labels[labels.len() - 1]))?;
                        Action::Run(kernel)
                    }
                },
            });
            operands.extend(inputs);
            targets.extend(outputs);
        }
        self.steps = steps.into();
        self.operands = operands.into();
        self.targets = targets.into();
        self.labels = labels.into();
        Ok(())
    }

    /// The name of the function.
    pub fn name(&self) -> &str {
        self.functions[0].name()
    }

    /// The device that it was made for.
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }

    /// The arguments: where they have to lie when the plan is run.
    pub fn args(&self) -> &[PlanArg] {
        &self.args
    }

    /// The results: where they lie once the plan was run.
    pub fn results(&self) -> &[PlanArg] {
        &self.results
    }

    /// Whether a kernel in it remembers something from call to call: made anew it would start anew.
    pub fn keeps_state(&self) -> bool {
        self.keeps_state
    }

    /// How many kernels it runs, copies between devices included.
    pub fn num_steps(&self) -> usize {
        self.steps.len()
    }

    /// All functions that it was made of: the one that is called, and those that it calls.
    pub fn functions(&self) -> &[Arc<Function>] {
        &self.functions
    }

    /// The error of a step, with the function and the node it came up in, as TensorFlow words it.
    #[cold]
    pub(crate) fn at(&self, e: &Error, label: &Label) -> Error {
        let inner = match label.function {
            0 => String::new(),
            f => format!("{{{{function_node {}}}}}", self.functions[f].name()),
        };
        let message = format!(
            "{{{{function_node {}}}}} {}\n\t [[{inner}{{{{node {}}}}}]]",
            self.name(),
            e.message(),
            label.node
        );
        Error::new(e.code(), message)
    }
}

fn widest(nodes: &[(Vec<Operand>, Vec<Target>)]) -> usize {
    let widths = nodes
        .iter()
        .map(|(inputs, outputs)| inputs.len() + outputs.len());
    widths.max().unwrap_or(0)
}

fn keeps_state(node: &PlacedNode<'_>) -> bool {
    matches!(node.task, Task::Run(_, _, ref kernel) if kernel.keeps_state)
}

/// The steps, one a line: what is read (`a0` is an argument, `0` a slot, with `!` when it is for the last time), which
/// slots are written, and where.
impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let read = |operands: &[Operand]| -> String {
            let one = |o: &Operand| {
                let last = if o.is_last() { "!" } else { "" };
                match o.place() {
                    Place::Slot(i) => format!(" {i}{last}"),
                    Place::Arg(i) => format!(" a{i}{last}"),
                }
            };
            operands.iter().map(one).collect()
        };
        let written = |targets: &[Target]| -> String {
            let one = |&t: &Target| match t {
                slots::UNUSED => " -".to_owned(),
                slot => format!(" {slot}"),
            };
            targets.iter().map(one).collect()
        };
        writeln!(f, "Plan {} of {} arguments", self.name(), self.args.len())?;
        for (step, label) in self.steps.iter().zip(&self.labels) {
            writeln!(
                f,
                "  {} {}:{} ->{} on {}",
                label.op,
                label.node,
                read(self.inputs_of(step)),
                written(self.outputs_of(step)),
                self.devices[step.device as usize].name()
            )?;
        }
        write!(f, "  results:{}", read(&self.result_operands))
    }
}
