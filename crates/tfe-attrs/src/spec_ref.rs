//! Where the definition of a call lies: borrowed from a table, or shared with a function that may be removed.

use std::ops::Deref;
use std::sync::Arc;

use tfe_ops::OpSpec;

/// An [`OpSpec`] that a builder holds on to.
///
/// Ops live as long as their registry, so a reference does. A function can be removed while a call of it is made, so its
/// signature is shared.
#[derive(Clone, Debug)]
pub enum SpecRef<'a> {
    /// An op of a registry.
    Borrowed(&'a OpSpec),
    /// A function's signature. As in TensorFlow its attributes do not follow from inputs: they have to be set.
    Shared(Arc<OpSpec>),
}

impl SpecRef<'_> {
    /// Whether inputs say what attributes are.
    pub(crate) fn infers(&self) -> bool {
        matches!(self, SpecRef::Borrowed(_))
    }
}

impl Deref for SpecRef<'_> {
    type Target = OpSpec;

    #[inline]
    fn deref(&self) -> &OpSpec {
        match self {
            SpecRef::Borrowed(spec) => spec,
            SpecRef::Shared(spec) => spec,
        }
    }
}

impl<'a> From<&'a OpSpec> for SpecRef<'a> {
    #[inline]
    fn from(spec: &'a OpSpec) -> Self {
        SpecRef::Borrowed(spec)
    }
}

impl From<Arc<OpSpec>> for SpecRef<'_> {
    fn from(spec: Arc<OpSpec>) -> Self {
        SpecRef::Shared(spec)
    }
}
