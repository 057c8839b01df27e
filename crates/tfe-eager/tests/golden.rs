//! What TensorFlow answers, asked of the Rust API: all records, without exception.

mod runner;
mod session;

use std::collections::BTreeSet;

use runner::Eager;
use session::Owner;
use tfe_eager::Context;
use tfe_testkit::golden::{Report, Sequence, Vectors, replay, replay_sequence};

#[test]
fn all_vectors_pass() {
    let ctx = Context::new().expect("a context");
    let mut report = Report::default();
    for vectors in Vectors::all().expect("vectors") {
        report.merge(replay(&vectors, &Eager(&ctx)));
    }
    report.assert_passed();
}

#[test]
fn all_vectors_pass_again_from_the_cache() {
    let ctx = Context::new().expect("a context");
    let vectors = Vectors::all().expect("vectors");
    let first = vectors
        .iter()
        .map(|v| replay(v, &Eager(&ctx)).passed)
        .sum::<usize>();
    let kernels = ctx.cached_kernels();
    let second = vectors
        .iter()
        .map(|v| replay(v, &Eager(&ctx)).passed)
        .sum::<usize>();
    assert_eq!(first, second);
    assert_eq!(
        ctx.cached_kernels(),
        kernels,
        "the second round made no kernel"
    );
}

#[test]
fn all_sequences_pass() {
    let open = || Owner(Context::new().expect("a context"));
    let mut report = Report::default();
    for sequence in Sequence::all().expect("sequences") {
        report.merge(replay_sequence(&sequence, &open));
    }
    report.assert_passed();
}

#[test]
fn every_op_with_a_kernel_has_a_record() {
    let (vectors, sequences) = (Vectors::all().expect("vectors"), Sequence::all());
    let sequences = sequences.expect("sequences");
    let recorded: BTreeSet<&str> = vectors
        .iter()
        .map(|vectors| &*vectors.op)
        .chain(sequences.iter().flat_map(Sequence::ops))
        .collect();
    let ops = tfe_ops::OpRegistry::new();
    let names: BTreeSet<&str> = tfe_kernels::all()
        .filter_map(|kernel| Some(ops.spec(kernel.op)?.name()))
        .collect();
    let missing: Vec<_> = names.difference(&recorded).collect();
    assert!(
        missing.is_empty(),
        "no record of {missing:?}; docs/adding-a-kernel.md says how to record one"
    );
}
