//! In which order the nodes of a body run, and which need not run at all.

use tfe_core::{DataType, Result, ensure};

use crate::body::{Body, BodyNode, Callee, Wires};
use crate::names::Source;

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

fn sources(inputs: &[Source]) -> impl Iterator<Item = usize> {
    inputs.iter().filter_map(|source| match *source {
        Source::Arg(_) => None,
        Source::Node(node, _) => Some(node),
    })
}

/// The nodes that have to run, in an order in which they can.
///
/// What neither results, control outputs nor nodes with effects need is left out. Nodes with effects run in the order
/// of the definition, as far as their inputs allow. A call may have effects whatever the signature says, and counts as
/// one that has; what is left of a call that has none is for [`Graph::prune`](crate::graph::Graph::prune).
pub(crate) fn execution_order(body: &Body<'_>) -> Vec<usize> {
    let effects: Vec<usize> = (0..body.nodes.len())
        .filter(|&i| has_effects(&body.nodes[i]))
        .collect();
    let results: Vec<Source> = body.results.iter().map(|&(source, _)| source).collect();
    let needed = {
        let mut needed = vec![false; body.nodes.len()];
        let results = sources(&results).chain(body.control_results.iter().copied());
        visit(body, effects.iter().copied().chain(results), &mut needed);
        needed
    };
    let needed = (0..body.nodes.len()).filter(|&i| needed[i]);
    let mut seen = vec![false; body.nodes.len()];
    visit(body, effects.into_iter().chain(needed), &mut seen)
}

fn has_effects(node: &BodyNode<'_>) -> bool {
    match &node.callee {
        Callee::Op(spec, _) => spec.is_stateful,
        Callee::Function(..) => true,
    }
}

/// Each root after all that it waits for, as far as not `seen` yet. No recursion: bodies may be long chains.
fn visit(body: &Body<'_>, roots: impl Iterator<Item = usize>, seen: &mut [bool]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
    let waits_for = |i: usize| -> Vec<usize> {
        let node = &body.nodes[i];
        let mut before: Vec<_> = sources(&node.inputs)
            .chain(node.controls.iter().copied())
            .collect();
        // Taken from the end.
        before.reverse();
        before
    };
    for root in roots {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        path.push((root, waits_for(root)));
        while let Some((node, before)) = path.last_mut() {
            match before.pop() {
                Some(next) if !std::mem::replace(&mut seen[next], true) => {
                    path.push((next, waits_for(next)));
                }
                Some(_) => {}
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    order
}
