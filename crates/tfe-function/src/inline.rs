//! From a function to a flat graph: direct calls are replaced by the bodies of what they call.

use std::sync::Arc;

use tfe_core::{Result, bail, ensure};

use crate::Function;
use crate::bind::Attributes;
use crate::body::{Body, BodyNode, Callee, Scope};
use crate::graph::{Graph, Node, Value, Work};
use crate::names::Source;
use crate::order;

/// How deep calls may be nested: far more than programs do, and far less than the stack of a thread holds.
pub(crate) const DEEPEST: usize = 100;

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
    let mut inliner = Inliner {
        scope,
        graph: Graph {
            args: body.args.clone(),
            nodes: Vec::new(),
            results: Vec::new(),
            functions: vec![Arc::clone(function)],
        },
        calls: Vec::new(),
        inlined: 0,
    };
    let args: Vec<_> = (0..body.args.len()).map(Value::Arg).collect();
    let results = inliner.inline(&body, &args, None, "")?;
    let types = body.results.iter().map(|&(_, dtype)| dtype);
    inliner.graph.results = results.into_iter().zip(types).collect();
    Ok(inliner.graph)
}

struct Inliner<'s, 'r, S> {
    scope: &'s S,
    graph: Graph<'r>,
    /// The functions that are being inlined, outermost first.
    calls: Vec<Arc<Function>>,
    /// How many calls were inlined.
    inlined: usize,
}

/// What became of a node of a body.
#[derive(Clone, Default)]
struct Done {
    outputs: Vec<Value>,
    /// Which node of the graph tells that it is done; `None` for a node that was left out.
    end: Option<usize>,
}

impl<'r, S: Scope<'r>> Inliner<'_, 'r, S> {
    /// Adds the nodes of a body. All of them wait for `gate`, and run on `device` unless they say otherwise.
    fn inline(
        &mut self,
        body: &Body<'r>,
        args: &[Value],
        gate: Option<usize>,
        device: &str,
    ) -> Result<Vec<Value>> {
        self.enter(&body.function)?;
        let number = self.number_of(&body.function);
        let mut awaited = vec![false; body.nodes.len()];
        for node in &body.nodes {
            node.controls.iter().for_each(|&c| awaited[c] = true);
        }
        let mut pinned = vec![false; body.nodes.len()];
        for &node in &body.control_results {
            (awaited[node], pinned[node]) = (true, true);
        }
        let mut done = vec![Done::default(); body.nodes.len()];
        let resolve = |done: &[Done], source: &Source| match *source {
            Source::Arg(i) => args[i],
            Source::Node(node, port) => done[node].outputs[port],
        };
        for i in order::execution_order(body) {
            let (node, def) = (&body.nodes[i], &body.function.def().node_def[i]);
            let inputs: Vec<_> = node.inputs.iter().map(|s| resolve(&done, s)).collect();
            let mut controls: Vec<_> = node.controls.iter().filter_map(|&c| done[c].end).collect();
            controls.extend(gate);
            let device = if def.device.is_empty() {
                device
            } else {
                &def.device
            };
            done[i] = match &node.callee {
                Callee::Op(spec, attrs) => {
                    let end = self.add(Node {
                        name: def.name.as_str().into(),
                        function: number,
                        work: Work::Op(spec, attrs.clone()),
                        inputs,
                        controls,
                        outputs: node.outputs.clone(),
                        pinned: pinned[i] || spec.is_stateful,
                        device: device.into(),
                    })?;
                    Done {
                        outputs: (0..node.outputs.len())
                            .map(|port| Value::Node { node: end, port })
                            .collect(),
                        end: Some(end),
                    }
                }
                Callee::Function(function, attrs) => {
                    let call = Call {
                        function,
                        attrs,
                        inputs,
                        controls,
                        device,
                        number,
                    };
                    self.call(call, node, awaited[i], pinned[i])?
                }
            };
        }
        self.calls.pop();
        Ok(body
            .results
            .iter()
            .map(|(s, _)| resolve(&done, s))
            .collect())
    }

    fn call(
        &mut self,
        call: Call<'_>,
        node: &BodyNode<'r>,
        awaited: bool,
        pinned: bool,
    ) -> Result<Done> {
        let inner = format!("In function {}", call.function.name());
        let body =
            Body::new(call.function, call.attrs, self.scope).map_err(|e| e.with_context(&inner))?;
        debug_assert_eq!(body.results.len(), node.outputs.len());
        let gate = match &*call.controls {
            [] => None,
            [one] => Some(*one),
            _ => Some(self.join(call.number, call.controls, false)?),
        };
        let start = self.graph.nodes.len();
        let outputs = self.inline(&body, &call.inputs, gate, call.device)?;
        let end = if awaited {
            // Who waits for the call waits for all effects in it, and for what its results need.
            let mut waits: Vec<_> = (start..self.graph.nodes.len())
                .filter(|&i| self.graph.nodes[i].pinned)
                .collect();
            waits.extend(outputs.iter().filter_map(|v| match *v {
                Value::Node { node, .. } => Some(node),
                Value::Arg(_) => None,
            }));
            waits.extend(gate);
            waits.sort_unstable();
            waits.dedup();
            Some(self.join(call.number, waits, pinned)?)
        } else {
            None
        };
        Ok(Done { outputs, end })
    }

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
        let index = self.graph.nodes.len();
        ensure!(
            index < MOST_NODES,
            ResourceExhausted,
            "function {} has more than {MOST_NODES} nodes once its calls are inlined",
            self.graph.functions[0].name()
        );
        self.graph.nodes.push(node);
        Ok(index)
    }

    /// Notes that a function is being inlined, unless that is so already.
    fn enter(&mut self, function: &Arc<Function>) -> Result<()> {
        if self.calls.iter().any(|f| f.name() == function.name()) {
            let names: Vec<_> = self.calls.iter().map(|f| f.name()).collect();
            bail!(
                InvalidArgument,
                "function {} calls itself: {} -> {}",
                function.name(),
                names.join(" -> "),
                function.name()
            );
        }
        ensure!(
            self.calls.len() < DEEPEST,
            InvalidArgument,
            "calls are nested deeper than {DEEPEST} functions, down to {}",
            function.name()
        );
        self.inlined += 1;
        ensure!(
            self.inlined <= MOST_CALLS,
            ResourceExhausted,
            "function {} makes more than {MOST_CALLS} calls",
            self.graph.functions[0].name()
        );
        self.calls.push(Arc::clone(function));
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

/// A node that calls a function, its inputs resolved.
struct Call<'c> {
    function: &'c Arc<Function>,
    attrs: &'c Attributes,
    inputs: Vec<Value>,
    controls: Vec<usize>,
    device: &'c str,
    number: usize,
}
