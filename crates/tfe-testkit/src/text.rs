//! Protos from text, for tests that know theirs to be right.

use tfe_proto::tensorflow as tf;
pub use tfe_proto::text::{Named, parse, print};

/// Reads a function.
///
/// # Panics
/// When the text is none: tests know their functions.
pub fn function_def(text: &str) -> tf::FunctionDef {
    parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Reads an op definition.
///
/// # Panics
/// When the text is none.
pub fn op_def(text: &str) -> tf::OpDef {
    parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}
