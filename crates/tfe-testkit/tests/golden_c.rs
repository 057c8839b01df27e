//! The golden vectors through the C API of the library that `TFE_LIB` names: this project's, or TensorFlow itself.
//!
//! `TFE_LIB=target/dist/lib/libtensorflow.so.2 cargo test -p tfe-testkit --test golden_c`.
//! Real TensorFlow passes as well, with `TF_ENABLE_ONEDNN_OPTS=0`: that is how the reader of the vectors is checked.

mod c_library;

use c_library::Library;
use tfe_testkit::golden::{Report, Vectors, replay};

#[test]
fn all_vectors_pass_through_the_c_api() {
    let Some(library) = Library::from_environment("golden vectors") else {
        return;
    };
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
