//! `Wires`: where the inputs of a node come from, and whether all nodes of a body can run.

use tfe_core::{DataType, Result, ensure};

use crate::names::Source;

/// The inputs of a node.
#[derive(Default)]
pub(crate) struct Wires {
    pub(crate) inputs: Vec<Source>,
    pub(crate) controls: Vec<usize>,
}

/// Checks that every node can run once its inputs are there.
///
/// # Errors
/// `InvalidArgument` with the number of nodes that cannot; as in TensorFlow a result counts as a node.
pub(crate) fn check_acyclic(wires: &[Wires], results: &[(Source, DataType)]) -> Result<()> {
    let mut waits = vec![0usize; wires.len()];
    let mut followers = vec![Vec::new(); wires.len()];
    for (i, wires) in wires.iter().enumerate() {
        for before in sources(&wires.inputs).chain(wires.controls.iter().copied()) {
            waits[i] += 1;
            followers[before].push(i);
        }
    }
    let mut ready: Vec<usize> = (0..wires.len()).filter(|&i| waits[i] == 0).collect();
    let mut left = wires.len();
    while let Some(done) = ready.pop() {
        left -= 1;
        for &next in &followers[done] {
            waits[next] -= 1;
            if waits[next] == 0 {
                ready.push(next);
            }
        }
    }
    let stuck = |&(source, _): &(Source, DataType)| match source {
        Source::Arg(_) => false,
        Source::Node(node, _) => waits[node] > 0,
    };
    let left = left + results.iter().filter(|r| stuck(r)).count();
    ensure!(left == 0, InvalidArgument, "{left} nodes in a cycle");
    Ok(())
}

/// The nodes that inputs come from.
pub(crate) fn sources(inputs: &[Source]) -> impl Iterator<Item = usize> {
    inputs.iter().filter_map(|source| match *source {
        Source::Arg(_) => None,
        Source::Node(node, _) => Some(node),
    })
}
