//! Where the definition of a call lies: borrowed from a table, or shared with a registry or a function.

use std::ops::Deref;
use std::sync::Arc;

use tfe_ops::OpSpec;

/// An [`OpSpec`] that a builder holds on to.
///
/// TensorFlow's ops live for ever, so a reference does. What was registered at run time is shared, so that a call of it may
/// outlive the registry; so is the signature of a function, which may be removed while a call of it is made.
#[derive(Clone, Debug)]
pub enum SpecRef<'a> {
    /// An op of a table.
    Borrowed(&'a OpSpec),
    /// An op that was registered at run time.
    Registered(Arc<OpSpec>),
    /// A function's signature. As in TensorFlow its attributes do not follow from inputs: they have to be set.
    Function(Arc<OpSpec>),
}

impl SpecRef<'_> {
    /// Whether it is the signature of a function.
    pub fn is_function(&self) -> bool {
        matches!(self, SpecRef::Function(_))
    }
}

impl Deref for SpecRef<'_> {
    type Target = OpSpec;

    #[inline]
    fn deref(&self) -> &OpSpec {
        match self {
            SpecRef::Borrowed(spec) => spec,
            SpecRef::Registered(spec) | SpecRef::Function(spec) => spec,
        }
    }
}

impl<'a> From<&'a OpSpec> for SpecRef<'a> {
    #[inline]
    fn from(spec: &'a OpSpec) -> Self {
        SpecRef::Borrowed(spec)
    }
}
