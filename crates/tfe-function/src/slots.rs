//! Slots: which place of a frame holds which value, and when it is free again.

use crate::graph::Value;
use crate::place::PlacedGraph;

/// A slot to read from, and whether nobody reads it after: then the value is taken out, so that a kernel that is its
/// last owner may write its result over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operand(u32);

impl Operand {
    const LAST: u32 = 1 << 31;

    fn new(slot: u32, last: bool) -> Self {
        Self(slot | if last { Self::LAST } else { 0 })
    }

    pub(crate) fn slot(self) -> usize {
        (self.0 & !Self::LAST) as usize
    }

    pub(crate) fn is_last(self) -> bool {
        self.0 & Self::LAST != 0
    }
}

/// Where a value goes: a slot, or [`UNUSED`].
pub(crate) type Target = u32;

/// The target of a value that nobody reads.
pub(crate) const UNUSED: Target = u32::MAX;

/// The slots of a graph's values.
pub(crate) struct Slots {
    pub(crate) args: Vec<Target>,
    /// Operands and targets of each node.
    pub(crate) nodes: Vec<(Vec<Operand>, Vec<Target>)>,
    pub(crate) results: Vec<Operand>,
    pub(crate) count: usize,
}

/// When a value is read last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Never,
    Node(usize),
    Result,
}

pub(crate) fn assign(graph: &PlacedGraph<'_>, num_args: usize) -> Slots {
    // Values are numbered: arguments, then the outputs of all nodes.
    let mut starts = Vec::with_capacity(graph.nodes.len());
    let mut count = num_args;
    for node in &graph.nodes {
        starts.push(count);
        count += node.outputs.len();
    }
    let number = |value: Value| match value {
        Value::Arg(i) => i,
        Value::Node { node, port } => starts[node] + port,
    };
    let mut last_use = vec![Use::Never; count];
    for (i, node) in graph.nodes.iter().enumerate() {
        node.inputs
            .iter()
            .for_each(|&v| last_use[number(v)] = Use::Node(i));
    }
    graph
        .results
        .iter()
        .for_each(|&(v, _)| last_use[number(v)] = Use::Result);

    let mut frame = Frame {
        slots: vec![UNUSED; count],
        free: Vec::new(),
        count: 0,
    };
    let args = (0..num_args).map(|v| frame.hold(v, last_use[v])).collect();
    let mut nodes = Vec::with_capacity(graph.nodes.len());
    for (i, node) in graph.nodes.iter().enumerate() {
        let inputs: Vec<_> = node.inputs.iter().map(|&v| number(v)).collect();
        let operands = frame.read(&inputs, &last_use, Use::Node(i));
        let outputs =
            (starts[i]..starts[i] + node.outputs.len()).map(|v| frame.hold(v, last_use[v]));
        nodes.push((operands, outputs.collect()));
    }
    let results: Vec<_> = graph.results.iter().map(|&(v, _)| number(v)).collect();
    let results = frame.read(&results, &last_use, Use::Result);
    Slots {
        args,
        nodes,
        results,
        count: frame.count as usize,
    }
}

struct Frame {
    /// The slot of each value.
    slots: Vec<u32>,
    free: Vec<u32>,
    count: u32,
}

impl Frame {
    fn hold(&mut self, value: usize, last_use: Use) -> Target {
        if last_use == Use::Never {
            return UNUSED;
        }
        self.slots[value] = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        self.slots[value]
    }

    /// Reads values at one time. A value that is read twice is taken by the last of the two.
    fn read(&mut self, values: &[usize], last_use: &[Use], now: Use) -> Vec<Operand> {
        let mut operands: Vec<_> = Vec::with_capacity(values.len());
        let mut taken = std::collections::HashSet::new();
        for &v in values.iter().rev() {
            let last = last_use[v] == now && taken.insert(v);
            operands.push(Operand::new(self.slots[v], last));
        }
        // What a node takes out is gone from the frame before its results come in.
        self.free.extend(taken.iter().map(|&v| self.slots[v]));
        self.free.sort_unstable_by(|a, b| b.cmp(a));
        operands.reverse();
        operands
    }
}
