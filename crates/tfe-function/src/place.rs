//! Where the nodes of a graph run: chooses devices and kernels, and puts in copies where values have to move.

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;
use tfe_attrs::Attrs;
use tfe_core::{DataType, Error, Result, ensure, err};
use tfe_device::{Device, DeviceSpec, KernelRef, KernelRegistry};
use tfe_ops::OpSpec;

use crate::copy::Route;
use crate::graph::{Graph, Node, Value, Work};

/// Where a value lies: it belongs to a device, and is in host memory or in the device's own.
///
/// On a host device the two are the same. Values that are no plain bytes (strings, resource handles, variants) are
/// always in host memory; a resource handle belongs to the device that holds the resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Home {
    pub(crate) device: usize,
    pub(crate) in_host_memory: bool,
}

/// A node that knows its device and its kernel. Control edges are gone: nodes run in the order of the list.
pub(crate) struct PlacedNode<'r> {
    pub(crate) name: Box<str>,
    pub(crate) function: usize,
    pub(crate) device: usize,
    pub(crate) task: Task<'r>,
    pub(crate) inputs: Vec<Value>,
    pub(crate) outputs: Vec<Home>,
}

/// What a placed node does.
pub(crate) enum Task<'r> {
    Run(&'r OpSpec, Attrs, KernelRef),
    Copy(Route),
}

/// A graph whose nodes are placed.
pub(crate) struct PlacedGraph<'r> {
    pub(crate) nodes: Vec<PlacedNode<'r>>,
    pub(crate) results: Vec<(Value, Home)>,
}

/// What placing needs to know.
pub(crate) struct Places<'p> {
    pub(crate) devices: &'p [Arc<dyn Device>],
    pub(crate) kernels: &'p KernelRegistry,
    /// Where nodes run that ask for nothing else.
    pub(crate) target: usize,
    /// The device of each argument.
    pub(crate) args: Vec<usize>,
    /// Whether results are brought to the target.
    pub(crate) results_on_target: bool,
}

impl Places<'_> {
    /// Where a value of that type on that device lies unless a kernel says otherwise.
    pub(crate) fn home(&self, device: usize, dtype: DataType) -> Home {
        Home {
            device,
            in_host_memory: !dtype.is_plain() || self.devices[device].is_host(),
        }
    }

    /// Places the nodes of a graph.
    ///
    /// # Errors
    /// `InvalidArgument` for devices that are not there and ops that have no kernel.
    pub(crate) fn place<'r>(&self, graph: Graph<'r>) -> Result<PlacedGraph<'r>> {
        let args = self.args.iter().zip(&graph.args);
        let mut placer = Placer {
            places: self,
            arg_homes: args
                .map(|(&device, &dtype)| self.home(device, dtype))
                .collect(),
            nodes: Vec::with_capacity(graph.nodes.len()),
            moved: Vec::with_capacity(graph.nodes.len()),
            copies: HashMap::default(),
        };
        for node in graph.nodes {
            placer.add(node)?;
        }
        let mut results = Vec::new();
        for (value, dtype) in graph.results {
            let mut value = placer.renumbered(value);
            let mut home = placer.home_of(value);
            if self.results_on_target {
                let wanted = self.home(self.target, dtype);
                value = placer.bring(value, wanted);
                // A handle stays with its resource.
                let device = if dtype == DataType::Resource {
                    home.device
                } else {
                    wanted.device
                };
                home = Home { device, ..wanted };
            }
            results.push((value, home));
        }
        Ok(PlacedGraph {
            nodes: placer.nodes,
            results,
        })
    }
}

struct Placer<'p, 'r> {
    places: &'p Places<'p>,
    arg_homes: Vec<Home>,
    nodes: Vec<PlacedNode<'r>>,
    /// The new number of each node of the graph.
    moved: Vec<usize>,
    /// Copies that were put in, by value and memory, so that none is made twice.
    copies: HashMap<(Value, Option<usize>), Value>,
}

impl<'r> Placer<'_, 'r> {
    fn add(&mut self, node: Node<'r>) -> Result<()> {
        let Work::Op(spec, attrs) = node.work else {
            // Nothing takes a value from a join.
            self.moved.push(usize::MAX);
            return Ok(());
        };
        let inputs: Vec<_> = node.inputs.iter().map(|&v| self.renumbered(v)).collect();
        let input_args = attrs.flat_inputs(spec)?;
        let resource = inputs
            .iter()
            .zip(&input_args)
            .find(|&(_, &(_, dtype))| dtype == DataType::Resource)
            .map(|(&value, _)| self.home_of(value).device);
        let label = Label {
            name: &node.name,
            device: &node.device,
        };
        let (device, kernel) = self.choose(label, spec, &attrs, resource)?;
        let place = |dtype: DataType, host: bool| Home {
            in_host_memory: host || self.places.home(device, dtype).in_host_memory,
            device,
        };
        let wanted: Vec<_> = input_args
            .iter()
            .map(|&(arg, dtype)| place(dtype, kernel.host_inputs.contains(&arg)))
            .collect();
        let outputs = attrs.flat_outputs(spec)?.into_iter();
        let outputs: Vec<_> = outputs
            .map(|(arg, dtype)| place(dtype, kernel.host_outputs.contains(&arg)))
            .collect();
        debug_assert_eq!(outputs.len(), node.outputs.len());
        let inputs = inputs
            .into_iter()
            .zip(wanted)
            .map(|(v, home)| self.bring(v, home))
            .collect();
        self.moved.push(self.nodes.len());
        self.nodes.push(PlacedNode {
            name: node.name,
            function: node.function,
            device,
            task: Task::Run(spec, attrs, kernel),
            inputs,
            outputs,
        });
        Ok(())
    }

    fn renumbered(&self, value: Value) -> Value {
        match value {
            Value::Arg(_) => value,
            Value::Node { node, port } => Value::Node {
                node: self.moved[node],
                port,
            },
        }
    }

    fn home_of(&self, value: Value) -> Home {
        match value {
            Value::Arg(i) => self.arg_homes[i],
            Value::Node { node, port } => self.nodes[node].outputs[port],
        }
    }

    /// The value in the memory where it is wanted: itself, or a copy.
    fn bring(&mut self, value: Value, wanted: Home) -> Value {
        let memory = |home: Home| (!home.in_host_memory).then_some(home.device);
        let home = self.home_of(value);
        let (from, to) = (memory(home), memory(wanted));
        if from == to {
            return value;
        }
        if let Some(&copy) = self.copies.get(&(value, to)) {
            return copy;
        }
        let types = |i: usize| self.places.devices[i].name().device_type();
        let copy = match (from, to) {
            // Devices of different kinds know nothing of each other's memory.
            (Some(a), Some(b)) if types(a) != types(b) => {
                let on_host = self.bring(
                    value,
                    Home {
                        in_host_memory: true,
                        ..wanted
                    },
                );
                self.bring(on_host, wanted)
            }
            _ => {
                let devices = self.places.devices;
                let device = |i: Option<usize>| i.map(|i| Arc::clone(&devices[i]));
                self.nodes.push(PlacedNode {
                    name: "copy".into(),
                    function: 0,
                    device: to.or(from).unwrap_or(wanted.device),
                    task: Task::Copy(Route {
                        from: device(from),
                        to: device(to),
                    }),
                    inputs: vec![value],
                    outputs: vec![wanted],
                });
                Value::Node {
                    node: self.nodes.len() - 1,
                    port: 0,
                }
            }
        };
        self.copies.insert((value, to), copy);
        copy
    }

    /// The device and kernel of a node. What it asks for counts first; then it follows its resource; then it runs where
    /// the function does, or on a host device when there is no kernel for it there.
    fn choose(
        &self,
        node: Label<'_>,
        spec: &OpSpec,
        attrs: &Attrs,
        resource: Option<usize>,
    ) -> Result<(usize, KernelRef)> {
        let places = self.places;
        let wish: DeviceSpec = node.device.parse().map_err(|_| {
            err!(
                InvalidArgument,
                "Failed to parse explicit device specification {}",
                node.device
            )
        })?;
        let mut candidates: SmallVec<[usize; 4]> = SmallVec::new();
        let others =
            (0..places.devices.len()).filter(|&i| !wish.is_empty() || places.devices[i].is_host());
        for i in resource.into_iter().chain([places.target]).chain(others) {
            if wish.matches(places.devices[i].name()) && !candidates.contains(&i) {
                candidates.push(i);
            }
        }
        ensure!(
            !candidates.is_empty(),
            InvalidArgument,
            "Unable to find any devices for spec {}; available devices are [ {} ]",
            node.device,
            names(places.devices)
        );
        for &i in &candidates {
            let device_type = places.devices[i].name().device_type();
            if let Some(kernel) = places.kernels.find(spec, device_type, attrs)? {
                return Ok((i, kernel.clone()));
            }
        }
        Err(no_kernel(node, spec, attrs, places))
    }
}

/// What messages say of a node.
#[derive(Clone, Copy)]
struct Label<'n> {
    name: &'n str,
    device: &'n str,
}

fn names(devices: &[Arc<dyn Device>]) -> String {
    let names: Vec<_> = devices.iter().map(|d| d.name().as_str()).collect();
    names.join(", ")
}

fn no_kernel(node: Label<'_>, spec: &OpSpec, attrs: &Attrs, places: &Places<'_>) -> Error {
    let elsewhere = places.devices.iter().any(|d| {
        matches!(
            places.kernels.find(spec, d.name().device_type(), attrs),
            Ok(Some(_))
        )
    });
    if elsewhere {
        let e = err!(
            InvalidArgument,
            "Cannot assign a device for operation {}: Could not satisfy explicit device specification '{}' because no \
             supported kernel for such devices is available.\n\t [[{{{{node {}}}}}]]",
            node.name,
            node.device,
            node.name
        );
        return e.explained(format_args!(
            "node {} asks for device '{}', where {} has no kernel for its types",
            node.name,
            node.device,
            spec.name()
        ));
    }
    let mut types: Vec<_> = places
        .devices
        .iter()
        .map(|d| d.name().device_type())
        .collect();
    types.dedup();
    let mut registered = String::new();
    for kernel in places.kernels.kernels(spec.id()) {
        registered.push_str(&format!("  device='{}'", kernel.device));
        for (attr, set) in kernel.types {
            let names: Vec<_> = set.iter().map(DataType::proto_name).collect();
            registered.push_str(&format!("; {attr} in [{}]", names.join(", ")));
        }
        registered.push('\n');
    }
    if registered.is_empty() {
        registered.push_str("  <no registered kernels>\n");
    }
    let e = err!(
        InvalidArgument,
        "No OpKernel was registered to support Op '{}' used by {{{{node {}}}}} with these attrs: [{attrs}]\nRegistered \
         devices: [{}]\nRegistered kernels:\n{registered}\n\t [[{}]]",
        spec.name(),
        node.name,
        types.join(", "),
        node.name
    );
    e.explained(places.kernels.why_none(spec, &types, attrs))
}
