//! The ids of ops.

use std::fmt;

use crate::builtin;
use crate::generated::LEN;

/// The id of an op: a small number that indexes dense arrays. There is a constant for each of TensorFlow's ops in
/// [`ops`](crate::ops); a misspelled one does not compile.
///
/// Ids may differ between versions of this crate, and those of ops registered at run time between registries.
///
/// ```
/// use tfe_ops::{OpId, ops};
///
/// assert_eq!(OpId::of("Conv2D"), Some(ops::CONV2D));
/// assert_eq!(ops::CONV2D.name(), Some("Conv2D"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpId(u16);

impl OpId {
    /// How many ops TensorFlow has: their ids are below this number.
    pub const BUILTIN: usize = LEN;

    /// The id of what is no op of a registry, such as a function's signature.
    pub const NONE: OpId = OpId(u16::MAX);

    pub(crate) const fn new(id: u16) -> Self {
        Self(id)
    }

    /// The id of TensorFlow's op of that name.
    #[inline]
    pub fn of(name: &str) -> Option<Self> {
        builtin::find(name)
    }

    /// All of TensorFlow's ops, by name.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        (0..LEN as u16).map(Self)
    }

    /// The number.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The name, `None` for ops registered at run time.
    pub fn name(self) -> Option<&'static str> {
        (self.index() < LEN).then(|| std::str::from_utf8(builtin::builtin_name(self)).ok())?
    }
}

impl fmt::Debug for OpId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "OpId({name})"),
            None if *self == Self::NONE => f.write_str("OpId::NONE"),
            None => write!(f, "OpId({})", self.0),
        }
    }
}
