//! `Graph`: what a plan is made of before its kernels are: a flat list of nodes in the order in which they run.

use std::sync::Arc;

use tfe_attrs::Attrs;
use tfe_core::DataType;
use tfe_ops::OpSpec;

use crate::Function;

/// A value: output `port` of a node, or an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    Arg(usize),
    Node { node: usize, port: usize },
}

/// Nodes in the order in which they run: each comes after those that its inputs and controls name.
///
/// Passes take a graph and give a better one: [`inline`](crate::inline) makes it, [`prune`](Graph::prune) drops what
/// nothing needs, [`place`](crate::place) chooses devices and kernels. Folding of constants and fusing of chains are to
/// be passes between these.
pub(crate) struct Graph<'r> {
    pub(crate) args: Vec<DataType>,
    pub(crate) nodes: Vec<Node<'r>>,
    pub(crate) results: Vec<(Value, DataType)>,
    /// All functions whose nodes are here.
    pub(crate) functions: Vec<Arc<Function>>,
}

/// A node of a graph.
pub(crate) struct Node<'r> {
    /// The name in the function that it comes from.
    pub(crate) name: Box<str>,
    /// Which of the graph's functions that is.
    pub(crate) function: usize,
    pub(crate) work: Work<'r>,
    pub(crate) inputs: Vec<Value>,
    /// Nodes that have to be done before, beside those that give inputs.
    pub(crate) controls: Vec<usize>,
    pub(crate) outputs: Vec<DataType>,
    /// Runs whether or not anything needs its outputs. Such nodes keep their order.
    pub(crate) pinned: bool,
    /// The device that the definition asks for; empty where it does not.
    pub(crate) device: Box<str>,
}

/// What a node does.
pub(crate) enum Work<'r> {
    /// Runs an op.
    Op(&'r OpSpec, Attrs),
    /// Nothing: control edges meet here. A plan leaves it out.
    Join,
}

impl Graph<'_> {
    /// Drops the nodes that neither results nor pinned nodes need.
    pub(crate) fn prune(&mut self) {
        let mut needed: Vec<bool> = self.nodes.iter().map(|n| n.pinned).collect();
        let need = |needed: &mut Vec<bool>, value: &Value| {
            if let Value::Node { node, .. } = *value {
                needed[node] = true;
            }
        };
        for (value, _) in &self.results {
            need(&mut needed, value);
        }
        for (i, node) in self.nodes.iter().enumerate().rev() {
            if needed[i] {
                node.inputs.iter().for_each(|v| need(&mut needed, v));
                node.controls.iter().for_each(|&c| needed[c] = true);
            }
        }
        let mut kept = 0;
        let new_index: Vec<usize> = needed
            .iter()
            .map(|&needed| {
                kept += usize::from(needed);
                kept.wrapping_sub(1)
            })
            .collect();
        let mut keep = needed.iter();
        self.nodes.retain(|_| keep.next().is_some_and(|&k| k));
        let renumber = |value: &mut Value| {
            if let Value::Node { node, .. } = value {
                *node = new_index[*node];
            }
        };
        for node in &mut self.nodes {
            node.inputs.iter_mut().for_each(renumber);
            node.controls.iter_mut().for_each(|c| *c = new_index[*c]);
        }
        self.results.iter_mut().for_each(|(v, _)| renumber(v));
    }
}
