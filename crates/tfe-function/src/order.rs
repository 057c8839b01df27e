//! In which order the nodes of a body run, and which need not run at all.

use crate::body::{Body, BodyNode, Callee};
use crate::names::Source;
use crate::wires::sources;

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
