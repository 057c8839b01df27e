//! Rules: what an op gives, from what is known of its inputs.
//!
//! An op has one [`Rule`], declared beside its host kernel and used for every device: a runtime asks it before it runs a
//! kernel, a graph asks it when nothing has run at all. In the first case shapes and values of host inputs are known, in
//! the second any of them may be unknown. A rule is exact when all is known, and where it still says «unknown» the shape
//! depends on data that the op has to look at: it is not known before the op has run.

use tfe_attrs::Attrs;
use tfe_core::Result;
use tfe_ops::OpSpec;

use crate::Inference;

/// What a rule is built from, and the part of [`KernelInit`](crate::KernelInit) that does not depend on a device.
#[derive(Clone, Copy)]
pub struct OpInit<'a> {
    /// The op (or the function, seen as an op).
    pub spec: &'a OpSpec,
    /// All attributes, defaults filled in, checked against the spec.
    pub attrs: &'a Attrs,
    /// Name of the node; the op's name when it runs alone.
    pub node_name: &'a str,
}

impl OpInit<'_> {
    /// The place among the flat inputs of the argument `name`, which is a single tensor.
    ///
    /// # Errors
    /// `InvalidArgument` when the op has no such argument: a fault of the kernel, found when it is first built.
    pub fn input(&self, name: &str) -> Result<usize> {
        Ok(self.attrs.input_range(self.spec, name)?.start)
    }

    /// [`input`](Self::input) of several arguments at once.
    ///
    /// # Errors
    /// As there.
    pub fn inputs<const N: usize>(&self, names: [&str; N]) -> Result<[usize; N]> {
        let mut places = [0; N];
        for (place, name) in places.iter_mut().zip(names) {
            *place = self.input(name)?;
        }
        Ok(places)
    }

    /// The places among the flat inputs of the list argument `name`.
    ///
    /// # Errors
    /// As [`input`](Self::input).
    pub fn list(&self, name: &str) -> Result<std::ops::Range<usize>> {
        self.attrs.input_range(self.spec, name)
    }

    /// The number of flat outputs.
    ///
    /// # Errors
    /// What is wrong with the attributes that tell it.
    pub fn num_outputs(&self) -> Result<usize> {
        Ok(self.attrs.flat_outputs(self.spec)?.len())
    }
}

/// What an op gives, bound to its attributes. Closures over `&mut Inference` are rules.
pub trait Rule: Send + Sync {
    /// Checks the shapes of the inputs and sets those of the outputs; what it leaves unset is unknown.
    ///
    /// # Errors
    /// What is wrong with the shapes, or with values that decide shapes, in TensorFlow's codes.
    fn infer(&self, call: &mut Inference<'_>) -> Result<()>;
}

impl<F> Rule for F
where
    F: Fn(&mut Inference<'_>) -> Result<()> + Send + Sync,
{
    #[inline]
    fn infer(&self, call: &mut Inference<'_>) -> Result<()> {
        self(call)
    }
}

/// Binds a rule to attributes, which it checks.
pub type RuleBuilder = fn(&OpInit<'_>) -> Result<Box<dyn Rule>>;
