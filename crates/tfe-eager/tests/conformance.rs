//! The conformance suites through the Rust API: placement, cache and checks of the runtime included.

mod runner;

use runner::Eager;
use tfe_core::DTypeSet;
use tfe_eager::Context;
use tfe_testkit::conformance::{Unsupported, declared_by, run};

#[test]
fn suites_pass() {
    let ctx = Context::new().expect("a context");
    let declared = declared_by(ctx.kernels(), "CPU");
    run(
        &Eager(&ctx),
        &declared,
        DTypeSet::ANY,
        &Unsupported::nothing(),
    )
    .assert_passed();
}
