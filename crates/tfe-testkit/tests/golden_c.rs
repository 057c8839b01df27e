//! The records through the C API of the library that `TFE_LIB` names: this project's, or TensorFlow itself.
//!
//! `TFE_LIB=target/dist/lib/libtensorflow.so.2 cargo test -p tfe-testkit --test golden_c`.
//! Real TensorFlow passes as well, with `TF_ENABLE_ONEDNN_OPTS=0`: that is how the reader of the records is checked.
//! `cargo xtask record` runs this on real TensorFlow to fill results into the files that `TFE_RECORD` names.

mod c_library;

use c_library::Library;
use tfe_testkit::golden::{self, Report, Sequence, Vectors, replay, replay_sequence};

fn another() -> Library {
    Library::from_environment("golden vectors").expect("TFE_LIB is set")
}

#[expect(clippy::print_stderr, reason = "says how much was replayed")]
fn assert_passed(report: &Report) {
    report.assert_passed();
    eprintln!(
        "{} cases passed, {} of them errors as recorded",
        report.passed, report.failures_as_recorded
    );
}

#[test]
fn all_vectors_pass_through_the_c_api() {
    let Some(library) = Library::from_environment("golden vectors") else {
        return;
    };
    let mut report = Report::default();
    for vectors in Vectors::all().expect("vectors") {
        report.merge(replay(&vectors, &library));
    }
    assert_passed(&report);
}

#[test]
fn all_sequences_pass_through_the_c_api() {
    if Library::from_environment("sequences").is_none() {
        return;
    }
    let mut report = Report::default();
    for sequence in Sequence::all().expect("sequences") {
        report.merge(replay_sequence(&sequence, &another));
    }
    assert_passed(&report);
}

#[test]
fn results_are_recorded() {
    for name in std::env::var("TFE_RECORD")
        .iter()
        .flat_map(|names| names.split(' '))
    {
        let path = golden::directory().join(format!("{name}.json"));
        let text = std::fs::read_to_string(&path).expect("a file with cases");
        let text = golden::record(&text, &another);
        let text = text.unwrap_or_else(|e| panic!("{name}: {e}"));
        std::fs::write(&path, text).expect("the file can be written");
        eprintln!("recorded {}", path.display());
    }
}
