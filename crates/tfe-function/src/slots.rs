//! Slots: which place of a frame holds which value, and when it is free again.

use crate::graph::Value;
use crate::place::PlacedGraph;

/// Where to read a value from, a slot or an argument, and whether nobody reads it after: then the value is taken out, so
/// that a kernel that is its last owner may write its result over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operand(u32);

impl Operand {
    const LAST: u32 = 1 << 31;
    const ARG: u32 = 1 << 30;

    fn new(place: Place, last: bool) -> Self {
        let place = match place {
            Place::Slot(i) => i,
            Place::Arg(i) => i | Self::ARG,
        };
        Self(place | if last { Self::LAST } else { 0 })
    }

    #[inline]
    pub(crate) fn place(self) -> Place {
        let index = self.0 & !(Self::LAST | Self::ARG);
        if self.0 & Self::ARG == 0 {
            Place::Slot(index)
        } else {
            Place::Arg(index)
        }
    }

    #[inline]
    pub(crate) fn is_last(self) -> bool {
        self.0 & Self::LAST != 0
    }
}

/// Where a value is while a plan runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a slot of the frame.
    Slot(u32),
    /// Where the caller has put it.
    Arg(u32),
}

/// Where a value goes: a slot, or [`UNUSED`].
pub(crate) type Target = u32;

/// The target of a value that nobody reads.
pub(crate) const UNUSED: Target = u32::MAX;

/// The slots of a graph's values.
pub(crate) struct Slots {
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
        places: (0..count).map(|v| Place::Arg(v as u32)).collect(),
        free: Vec::new(),
        count: 0,
    };
    let mut nodes = Vec::with_capacity(graph.nodes.len());
    for (i, node) in graph.nodes.iter().enumerate() {
        let inputs: Vec<_> = node.inputs.iter().map(|&v| number(v)).collect();
        let operands = frame.read(&inputs, &last_use, Use::Node(i));
        let outputs = starts[i]..starts[i] + node.outputs.len();
        let targets = outputs.map(|v| frame.hold(v, last_use[v])).collect();
        nodes.push((operands, targets));
    }
    let results: Vec<_> = graph.results.iter().map(|&(v, _)| number(v)).collect();
    let results = frame.read(&results, &last_use, Use::Result);
    Slots {
        nodes,
        results,
        count: frame.count as usize,
    }
}

struct Frame {
    /// The place of each value.
    places: Vec<Place>,
    free: Vec<u32>,
    count: u32,
}

impl Frame {
    /// A slot for the output of a node.
    fn hold(&mut self, value: usize, last_use: Use) -> Target {
        if last_use == Use::Never {
            return UNUSED;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        self.places[value] = Place::Slot(slot);
        slot
    }

    /// Reads values at one time. A value that is read twice is taken by the last of the two.
    fn read(&mut self, values: &[usize], last_use: &[Use], now: Use) -> Vec<Operand> {
        let mut operands: Vec<_> = Vec::with_capacity(values.len());
        let mut taken = std::collections::HashSet::new();
        for &v in values.iter().rev() {
            let last = last_use[v] == now && taken.insert(v);
            operands.push(Operand::new(self.places[v], last));
        }
        // What a node takes out is gone from the frame before its results come in. The lowest slot is used again first.
        let slots = taken.into_iter().filter_map(|v| match self.places[v] {
            Place::Slot(slot) => Some(slot),
            Place::Arg(_) => None,
        });
        self.free.extend(slots);
        self.free.sort_unstable_by(|a, b| b.cmp(a));
        operands.reverse();
        operands
    }
}
