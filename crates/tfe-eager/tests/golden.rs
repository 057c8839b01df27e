//! What TensorFlow answers, asked of the Rust API: all golden vectors, without exception.

mod runner;

use runner::Eager;
use tfe_eager::Context;
use tfe_testkit::golden::{Report, Vectors, replay};

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
