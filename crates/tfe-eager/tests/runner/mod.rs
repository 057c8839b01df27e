//! A context as a runner of vectors and samples.

use tfe_core::{Result, Tensor};
use tfe_eager::{Context, TensorHandle};
use tfe_testkit::{NamedAttrs, Runner};

/// Vectors through a context: inputs first, then all attributes, as the C replay does it.
pub(crate) struct Eager<'a>(pub(crate) &'a Context);

impl Runner for Eager<'_> {
    fn run(&self, op: &str, attrs: &NamedAttrs, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let mut op = self.0.op(op)?;
        // What is recorded are calls of TensorFlow's C API.
        op.set_lenient();
        for input in inputs {
            op.add_input(&TensorHandle::new(input.clone()))?;
        }
        for (name, value) in attrs {
            op.set_attr(name, value.clone());
        }
        op.execute()?.iter().map(TensorHandle::to_tensor).collect()
    }
}
