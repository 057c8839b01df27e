//! `Fact` and `OutputShape`: what is known of inputs and outputs before an op runs.

use smallvec::SmallVec;
use tfe_core::{DataType, PartialShape, Shape, Tensor};

/// What is known of an input of an op that does not run yet.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The type of the elements.
    pub dtype: DataType,
    /// The shape, as far as it is known.
    pub shape: PartialShape,
    /// The value, where it is known and in host memory.
    pub value: Option<Tensor>,
}

impl Fact {
    /// An input of which the shape is known, or a part of it.
    pub fn of(dtype: DataType, shape: PartialShape) -> Self {
        Self {
            dtype,
            shape,
            value: None,
        }
    }
}

impl From<&Tensor> for Fact {
    fn from(tensor: &Tensor) -> Self {
        Self {
            dtype: tensor.dtype(),
            shape: tensor.shape().into(),
            value: tensor.is_host().then(|| tensor.clone()),
        }
    }
}

/// The shape of an output, as far as a rule knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputShape {
    /// All of it.
    Known(Shape),
    /// A part of it, perhaps nothing.
    Partial(PartialShape),
}

impl OutputShape {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self::Partial(PartialShape::unknown());

    /// The shape, if all of it is known.
    #[inline]
    pub fn known(&self) -> Option<&Shape> {
        match self {
            Self::Known(shape) => Some(shape),
            Self::Partial(_) => None,
        }
    }

    /// Whether an output of `shape` is what the rule said.
    #[inline]
    pub fn allows(&self, shape: &Shape) -> bool {
        match self {
            Self::Known(known) => known == shape,
            Self::Partial(part) => part.is_compatible_with(shape),
        }
    }
}

impl Default for OutputShape {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

/// The shapes of all outputs of a call.
pub type OutputShapes = SmallVec<[OutputShape; 2]>;
