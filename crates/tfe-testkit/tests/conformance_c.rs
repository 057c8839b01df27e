//! The conformance suites through the C API of the library that `TFE_LIB` names.
//!
//! Run on real TensorFlow (with `TF_ENABLE_ONEDNN_OPTS=0` and `TFE_UNSUPPORTED=tests/unsupported_by_tensorflow.txt`) this
//! checks the suites themselves: their references, their codes, and which data types they take TensorFlow to have.

mod c_library;

use c_library::Library;
use tfe_core::{DTypeSet, DataType};
use tfe_testkit::conformance::{Unsupported, declared_by_tensorflow, run};

/// What a C program can make tensors of, value by value.
const AMONG: DTypeSet = DTypeSet::PLAIN.union(DTypeSet::of(&[DataType::String]));

#[test]
fn suites_pass_through_the_c_api() {
    let Some(library) = Library::from_environment("conformance suites") else {
        return;
    };
    let unsupported = match std::env::var_os("TFE_UNSUPPORTED") {
        Some(list) => std::fs::read_to_string(list).expect("a file"),
        None => String::new(),
    };
    let unsupported = Unsupported::parse(&unsupported).expect("a list");
    let summary = run(&library, &declared_by_tensorflow(), AMONG, &unsupported);
    summary.assert_passed();
    eprintln!(
        "{} samples passed, {} calls were refused, {} are known to fail",
        summary.passed, summary.refused, summary.unsupported
    );
}
