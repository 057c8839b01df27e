//! From a function to a flat graph: direct calls are replaced by the bodies of what they call.

use std::sync::Arc;

use tfe_core::{Result, bail, ensure};

use crate::Function;
use crate::bind::Attributes;
use crate::body::{Body, Callee, Scope};
use crate::graph::{Graph, Node, Value, Work};
use crate::names::Source;
use crate::order;

/// How many nodes a plan may have: calls of calls of calls grow out of all proportion to the definitions.
const MOST_NODES: usize = 1 << 20;

/// How many calls may be inlined, of functions without nodes too.
const MOST_CALLS: usize = 1 << 16;

/// The graph of a function that is called with those attributes.
///
/// # Errors
/// What is wrong with the function or one that it calls; `InvalidArgument` when one calls itself.
pub(crate) fn flatten<'r>(
    function: &Arc<Function>,
    attrs: &Attributes,
    scope: &impl Scope<'r>,
) -> Result<Graph<'r>> {
    let body = Body::new(function, attrs, scope)?;
    let args = (0..body.args.len()).map(Value::Arg).collect();
    let types: Vec<_> = body.results.iter().map(|&(_, dtype)| dtype).collect();
    let mut inliner = Inliner {
        scope,
        graph: Graph {
            args: body.args.clone(),
            nodes: Vec::new(),
            results: Vec::new(),
            functions: Vec::new(),
        },
        calls: Vec::new(),
        inlined: 0,
    };
    inliner.enter(body, args, None, "", 0)?;
    let results = inliner.inline()?;
    inliner.graph.results = results.into_iter().zip(types).collect();
    Ok(inliner.graph)
}

struct Inliner<'s, 'r, S> {
    scope: &'s S,
    graph: Graph<'r>,
    /// The calls that are being inlined, outermost first: a stack of our own, since a thread's might not hold as many.
    calls: Vec<Call<'r>>,
    /// How many calls were inlined.
    inlined: usize,
}

/// A body that is being inlined.
struct Call<'r> {
    body: Body<'r>,
    /// Which of the graph's functions it is of.
    number: usize,
    args: Vec<Value>,
    /// What all of its nodes wait for.
    gate: Option<usize>,
    /// Where nodes run that do not say.
    device: Box<str>,
    /// Which node of the body around it makes the call.
    node: usize,
    /// How many nodes the graph had before.
    start: usize,
    /// Its nodes in the order in which they run, and how many of them are done with.
    order: Vec<usize>,
    next: usize,
    /// What became of each node.
    done: Vec<Done>,
    /// Which nodes others wait for.
    awaited: Vec<bool>,
    /// Which nodes run whether or not anything needs them.
    pinned: Vec<bool>,
}

/// What became of a node of a body.
#[derive(Clone, Default)]
struct Done {
    outputs: Vec<Value>,
    /// Which node of the graph tells that it is done; `None` for a node that was left out.
    end: Option<usize>,
}

impl Call<'_> {
    fn resolve(&self, source: &Source) -> Value {
        match *source {
            Source::Arg(i) => self.args[i],
            Source::Node(node, port) => self.done[node].outputs[port],
        }
    }
}

impl<'r, S: Scope<'r>> Inliner<'_, 'r, S> {
    /// Adds the nodes of all calls, and gives the results of the outermost.
    fn inline(&mut self) -> Result<Vec<Value>> {
        loop {
            let depth = self.calls.len() - 1;
            let call = &mut self.calls[depth];
            if let Some(&node) = call.order.get(call.next) {
                call.next += 1;
                self.node(node)?;
                continue;
            }
            let call = self.calls.swap_remove(depth);
            let results = call.body.results.iter();
            let outputs = results.map(|(source, _)| call.resolve(source)).collect();
            if self.calls.is_empty() {
                return Ok(outputs);
            }
            self.finish(&call, outputs)?;
        }
    }

    /// Adds a node of the innermost call, or begins with the call that it is.
    fn node(&mut self, index: usize) -> Result<()> {
        let depth = self.calls.len() - 1;
        let call = &self.calls[depth];
        let (node, def) = (
            &call.body.nodes[index],
            &call.body.function.def().node_def[index],
        );
        let inputs: Vec<_> = node.inputs.iter().map(|s| call.resolve(s)).collect();
        let ends = node.controls.iter().filter_map(|&c| call.done[c].end);
        let controls: Vec<_> = ends.chain(call.gate).collect();
        let device = match &*def.device {
            "" => call.device.clone(),
            device => device.into(),
        };
        match &node.callee {
            Callee::Op(spec, attrs) => {
                let ports = node.outputs.len();
                let node = Node {
                    name: def.name.as_str().into(),
                    function: call.number,
                    work: Work::Op(spec, attrs.clone()),
                    inputs,
                    controls,
                    outputs: node.outputs.clone(),
                    pinned: call.pinned[index] || spec.is_stateful,
                    device,
                };
                let end = self.graph.add(node)?;
                let outputs = (0..ports).map(|port| Value::Node { node: end, port });
                self.calls[depth].done[index] = Done {
                    outputs: outputs.collect(),
                    end: Some(end),
                };
                Ok(())
            }
            Callee::Function(function, attrs) => {
                let inner = format!("In function {}", function.name());
                let body =
                    Body::new(function, attrs, self.scope).map_err(|e| e.with_context(&inner))?;
                debug_assert_eq!(body.results.len(), node.outputs.len());
                let gate = match &*controls {
                    [] => None,
                    [one] => Some(*one),
                    _ => Some(self.graph.join(call.number, controls, false)?),
                };
                self.enter(body, inputs, gate, &device, index)
            }
        }
    }

    /// Begins with a call, unless its function is being inlined already.
    fn enter(
        &mut self,
        body: Body<'r>,
        args: Vec<Value>,
        gate: Option<usize>,
        device: &str,
        node: usize,
    ) -> Result<()> {
        let function = &body.function;
        let same = |call: &Call<'_>| Arc::ptr_eq(&call.body.function, function);
        if self.calls.iter().any(same) {
            let calls = self.calls.iter().map(|call| call.body.function.name());
            let names: Vec<_> = calls.chain([function.name()]).collect();
            bail!(
                InvalidArgument,
                "function {} calls itself: {}",
                function.name(),
                names.join(" -> ")
            );
        }
        self.inlined += 1;
        ensure!(
            self.inlined <= MOST_CALLS,
            ResourceExhausted,
            "function {} makes more than {MOST_CALLS} calls",
            self.calls
                .first()
                .map_or(function.name(), |call| call.body.function.name())
        );
        let mut awaited = vec![false; body.nodes.len()];
        for node in &body.nodes {
            node.controls.iter().for_each(|&c| awaited[c] = true);
        }
        let mut pinned = vec![false; body.nodes.len()];
        for &node in &body.control_results {
            (awaited[node], pinned[node]) = (true, true);
        }
        let number = self.number_of(&body.function);
        self.calls.push(Call {
            number,
            args,
            gate,
            device: device.into(),
            node,
            start: self.graph.nodes.len(),
            order: order::execution_order(&body),
            next: 0,
            done: vec![Done::default(); body.nodes.len()],
            awaited,
            pinned,
            body,
        });
        Ok(())
    }

    /// Tells the body around a call what became of it.
    fn finish(&mut self, call: &Call<'r>, outputs: Vec<Value>) -> Result<()> {
        let depth = self.calls.len() - 1;
        let outer = &self.calls[depth];
        let (awaited, pinned) = (outer.awaited[call.node], outer.pinned[call.node]);
        let end = if awaited {
            // Who waits for the call waits for all effects in it, and for what its results need.
            let mut waits: Vec<_> = (call.start..self.graph.nodes.len())
                .filter(|&i| self.graph.nodes[i].pinned)
                .collect();
            waits.extend(outputs.iter().filter_map(|v| match *v {
                Value::Node { node, .. } => Some(node),
                Value::Arg(_) => None,
            }));
            waits.extend(call.gate);
            waits.sort_unstable();
            waits.dedup();
            Some(self.graph.join(outer.number, waits, pinned)?)
        } else {
            None
        };
        self.calls[depth].done[call.node] = Done { outputs, end };
        Ok(())
    }

    fn number_of(&mut self, function: &Arc<Function>) -> usize {
        let functions = &mut self.graph.functions;
        let known = functions.iter().position(|f| Arc::ptr_eq(f, function));
        known.unwrap_or_else(|| {
            functions.push(Arc::clone(function));
            functions.len() - 1
        })
    }
}

impl<'r> Graph<'r> {
    fn join(&mut self, function: usize, controls: Vec<usize>, pinned: bool) -> Result<usize> {
        self.add(Node {
            name: "".into(),
            function,
            work: Work::Join,
            inputs: Vec::new(),
            controls,
            outputs: Vec::new(),
            pinned,
            device: "".into(),
        })
    }

    fn add(&mut self, node: Node<'r>) -> Result<usize> {
        let index = self.nodes.len();
        ensure!(
            index < MOST_NODES,
            ResourceExhausted,
            "function {} has more than {MOST_NODES} nodes once its calls are inlined",
            self.functions[0].name()
        );
        self.nodes.push(node);
        Ok(index)
    }
}
