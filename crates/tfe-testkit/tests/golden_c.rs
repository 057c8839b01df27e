//! The golden vectors through the C API of the library that `TFE_LIB` names: this project's, or TensorFlow itself.
//!
//! `TFE_LIB=target/dist/lib/libtensorflow.so.2 cargo test -p tfe-testkit --test golden_c`.
//! Real TensorFlow passes as well, with `TF_ENABLE_ONEDNN_OPTS=0`: that is how the reader of the vectors is checked.

mod c_library;

use c_library::Library;
use tfe_testkit::golden::{Report, Vectors, replay};

#[test]
#[expect(
    clippy::print_stderr,
    reason = "says why it is skipped, and what passed"
)]
fn all_vectors_pass_through_the_c_api() {
    let Some(path) = std::env::var_os("TFE_LIB") else {
        let required = std::env::var("TFE_REQUIRE").is_ok_and(|what| what.contains("capi"));
        assert!(
            !required,
            "TFE_REQUIRE wants the C API, but TFE_LIB names no library"
        );
        eprintln!("skipped: golden vectors through the C API: TFE_LIB is not set");
        return;
    };
    let library = Library::open(&path);
    let mut report = Report::default();
    for vectors in Vectors::all().expect("vectors") {
        report.merge(replay(&vectors, &library));
    }
    report.assert_passed();
    eprintln!(
        "{} cases passed, {} of them errors as recorded",
        report.passed, report.failures_as_recorded
    );
}
