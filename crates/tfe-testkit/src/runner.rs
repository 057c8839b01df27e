//! `Runner`: anything that can run one op, so that the same vectors go through all of them.

use tfe_core::{Result, Tensor};
use tfe_ops::AttrValue;

/// Attributes by name, in the order of setting.
pub type NamedAttrs = [(String, AttrValue)];

/// An implementation of TensorFlow's ops.
pub trait Runner {
    /// Runs an op once and returns its results in host memory. List arguments are flat.
    ///
    /// # Errors
    /// What the implementation reports, at whatever step.
    fn run(&self, op: &str, attrs: &NamedAttrs, inputs: &[Tensor]) -> Result<Vec<Tensor>>;
}

impl<F> Runner for F
where
    F: Fn(&str, &NamedAttrs, &[Tensor]) -> Result<Vec<Tensor>>,
{
    fn run(&self, op: &str, attrs: &NamedAttrs, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        self(op, attrs, inputs)
    }
}
