//! Rules of ops against the recorded calls: exact where all is known, never wrong where something is not.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use tfe_core::{PartialShape, Result, Tensor};
use tfe_cpu::{CpuDevice, CpuOptions};
use tfe_device::{
    BoundKernel, Fact, KernelInit, KernelRegistry, NoFunctions, OpInit, OutputShapes,
};
use tfe_testkit::Direct;
use tfe_testkit::golden::{Case, Outcome, Vectors};

static KERNELS: LazyLock<KernelRegistry> =
    LazyLock::new(|| KernelRegistry::new(tfe_kernels::all()));

/// Ops with an output whose shape only their data, or the state behind a handle, tells.
const UNKNOWN_BEFORE_THEY_RUN: &[&str] = &[
    "DecodeImage",
    "DynamicPartition",
    "DynamicStitch",
    "ListDiff",
    "ParallelDynamicStitch",
    "SegmentMax",
    "SegmentMean",
    "SegmentMin",
    "SegmentProd",
    "SegmentSum",
    "StringSplitV2",
    "Unique",
    "UniqueWithCounts",
    "Where",
];

/// The kernel of a recorded call, if there is one and the call is not refused before shapes are looked at.
fn bound(direct: &Direct<'_>, op: &str, case: &Case) -> Option<BoundKernel> {
    let (spec, attrs, def) = direct.find(op, &case.attrs, &case.inputs).ok()?;
    let init = KernelInit {
        op: OpInit {
            spec,
            attrs: &attrs,
            node_name: op,
        },
        device: direct.device(),
        functions: &NoFunctions,
    };
    BoundKernel::new(def?, KERNELS.rule(spec.id()), &init).ok()
}

/// What may be known of a tensor: all, all but the value, all but one dimension or each, all but the rank, nothing.
fn facts_of(tensor: &Tensor) -> Vec<Fact> {
    let part = |dims: Vec<i64>| Fact::of(tensor.dtype(), PartialShape::of(&dims));
    let dims = tensor.dims();
    let mut facts = vec![
        Fact::from(tensor),
        part(dims.to_vec()),
        part(vec![-1; dims.len()]),
        Fact::of(tensor.dtype(), PartialShape::unknown()),
    ];
    for i in 0..dims.len() {
        let mut dims = dims.to_vec();
        dims[i] = -1;
        facts.push(part(dims));
    }
    facts
}

fn check(shapes: Result<OutputShapes>, outputs: &[Option<Tensor>], what: &str) -> Option<String> {
    let shapes = match shapes {
        Ok(shapes) => shapes,
        Err(e) => return Some(format!("{what}: refused: {e}")),
    };
    for (i, (said, given)) in shapes.iter().zip(outputs).enumerate() {
        if let Some(given) = given
            && !said.allows(given.shape())
        {
            return Some(format!(
                "{what}: output {i} is {}, the rule says {said:?}",
                given.shape()
            ));
        }
    }
    None
}

#[test]
fn rules_allow_what_was_recorded_whatever_is_unknown() {
    let cpu = CpuDevice::new(0, &CpuOptions::default());
    let direct = Direct::new(&cpu, &KERNELS);
    let (mut faults, mut unknown, mut checks) = (Vec::new(), BTreeSet::new(), 0);
    for vectors in Vectors::all().expect("the collection") {
        let op = &vectors.op;
        for case in &vectors.cases {
            let Some(kernel) = bound(&direct, op, case) else {
                continue;
            };
            let exact: Vec<_> = case.inputs.iter().map(Fact::from).collect();
            let mut ask = |facts: &[Fact], what: String| {
                checks += 1;
                match &case.outcome {
                    Outcome::Results(outputs, _) => {
                        faults.extend(check(kernel.infer(facts), outputs, &what));
                    }
                    // Refused or not, depending on what is known; but no panic.
                    Outcome::Failure { .. } => drop(kernel.infer(facts)),
                }
            };
            ask(&exact, format!("{op} {}", case.name));
            for (i, input) in case.inputs.iter().enumerate() {
                for fact in facts_of(input) {
                    let mut facts = exact.clone();
                    facts[i] = fact;
                    ask(&facts, format!("{op} {} with {:?}", case.name, facts[i]));
                }
            }
            let unknown_rank = |t: &Tensor| Fact::of(t.dtype(), PartialShape::unknown());
            let nothing: Vec<_> = case.inputs.iter().map(unknown_rank).collect();
            ask(&nothing, format!("{op} {} with nothing known", case.name));
            if let (Outcome::Results(..), Ok(shapes)) = (&case.outcome, kernel.infer(&exact))
                && shapes.iter().any(|shape| shape.known().is_none())
            {
                unknown.insert(op.clone());
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checks > 10_000, "{checks}");
    let declared = UNKNOWN_BEFORE_THEY_RUN.iter().map(|&op| op.to_owned());
    assert_eq!(unknown, declared.collect());
}

#[test]
fn every_op_with_a_host_kernel_has_one_rule() {
    for def in tfe_kernels::all() {
        let rule = KERNELS.rule(def.op);
        assert!(rule.is_some(), "op {:?} has no rule", def.op);
    }
}
