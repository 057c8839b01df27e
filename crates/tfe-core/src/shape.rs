//! Shapes: fully known ones of tensors, and partly known ones of attributes.

use std::fmt;

use smallvec::SmallVec;

use crate::{Error, Result, bail, ensure, err};

/// The most dimensions that a shape may have.
pub const MAX_RANK: usize = 254;

/// A fully known shape: every dimension is at least 0, and the number of elements fits `i64`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    dims: Dims,
    elements: usize,
}

/// Dimensions, few of them in place. A clone of those is a copy of bytes, where a `SmallVec` would run a loop: every
/// input of every call is cloned.
#[derive(Clone)]
enum Dims {
    Few(Rank, [i64; Dims::FEW]),
    Many(Box<[i64]>),
}

/// How many dimensions there are in place.
///
/// A whole word: it also tells `Many`, and `None` or `Err` instead of a tensor. Were it one byte, moving a tensor would move
/// the rest of its word in two pieces that overlap, and each reader would wait for them.
#[derive(Clone, Copy)]
#[repr(u64)]
enum Rank {
    Zero,
    One,
    Two,
    Three,
    Four,
}

impl Rank {
    const ALL: [Self; Dims::FEW + 1] = [Self::Zero, Self::One, Self::Two, Self::Three, Self::Four];
}

impl Dims {
    const FEW: usize = 4;

    #[inline]
    fn new(dims: &[i64]) -> Self {
        let Some(&rank) = Rank::ALL.get(dims.len()) else {
            return Self::Many(dims.into());
        };
        let at = |i: usize| dims.get(i).copied().unwrap_or(0);
        Self::Few(rank, [at(0), at(1), at(2), at(3)])
    }

    #[inline]
    fn as_slice(&self) -> &[i64] {
        match self {
            Self::Few(rank, dims) => &dims[..*rank as usize],
            Self::Many(dims) => dims,
        }
    }
}

impl PartialEq for Dims {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            // Those beyond the rank are 0: the same few words, whatever the rank.
            (Self::Few(a, x), Self::Few(b, y)) => *a as u64 == *b as u64 && x == y,
            _ => self.as_slice() == other.as_slice(),
        }
    }
}

impl Eq for Dims {}

impl std::hash::Hash for Dims {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl Shape {
    /// The shape of those dimensions.
    ///
    /// # Errors
    /// `InvalidArgument` for a negative dimension, more than [`MAX_RANK`] dimensions, or 2^63 elements and more.
    #[inline]
    pub fn new(dims: &[i64]) -> Result<Self> {
        // The product without zeros: an empty dimension does not excuse the others from being representable.
        let (mut product, mut empty, mut fits) = (1i64, false, dims.len() <= MAX_RANK);
        for &d in dims {
            empty |= d == 0;
            let (next, overflows) = product.overflowing_mul(d.max(1));
            fits &= d >= 0 && !overflows;
            product = next;
        }
        if !fits {
            return Err(Self::refused(dims));
        }
        Ok(Self {
            dims: Dims::new(dims),
            elements: if empty { 0 } else { product as usize },
        })
    }

    /// Why dimensions are no shape.
    #[cold]
    fn refused(dims: &[i64]) -> Error {
        if dims.len() > MAX_RANK {
            return err!(
                InvalidArgument,
                "Too many dimensions in tensor: {} is over the limit of {MAX_RANK}",
                dims.len()
            );
        }
        match dims.iter().find(|&&d| d < 0) {
            Some(d) => err!(InvalidArgument, "Dimension {d} must be >= 0"),
            None => err!(
                InvalidArgument,
                "Shape {} would have more than 2**63 - 1 elements",
                DimsDisplay(dims)
            ),
        }
    }

    /// The shape of a scalar: no dimensions, one element.
    pub fn scalar() -> Self {
        Self {
            dims: Dims::new(&[]),
            elements: 1,
        }
    }

    /// The shape of a vector of `n` elements.
    pub fn vector(n: usize) -> Self {
        Self {
            dims: Dims::new(&[n as i64]),
            elements: n,
        }
    }

    /// Whether the dimensions lie in memory of their own.
    #[inline]
    pub(crate) fn owns_memory(&self) -> bool {
        matches!(self.dims, Dims::Many(_))
    }

    /// The dimensions, outermost first.
    #[inline]
    pub fn dims(&self) -> &[i64] {
        self.dims.as_slice()
    }

    /// The number of dimensions.
    #[inline]
    pub fn rank(&self) -> usize {
        self.dims().len()
    }

    /// The size of dimension `i`, which must be below the rank.
    pub fn dim(&self, i: usize) -> usize {
        self.dims()[i] as usize
    }

    /// The number of elements: the product of the dimensions, 1 for a scalar.
    pub const fn num_elements(&self) -> usize {
        self.elements
    }

    /// Whether the rank is 0.
    pub fn is_scalar(&self) -> bool {
        self.dims().is_empty()
    }
}

impl Default for Shape {
    fn default() -> Self {
        Self::scalar()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&DimsDisplay(self.dims()), f)
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Prints dimensions as TensorFlow does: `[2,?,3]`.
struct DimsDisplay<'a>(&'a [i64]);

impl fmt::Display for DimsDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, &d) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            match d {
                -1 => f.write_str("?")?,
                d => write!(f, "{d}")?,
            }
        }
        f.write_str("]")
    }
}

/// A shape that may be unknown: in its rank, or in single dimensions.
///
/// It holds whatever a client said; [`validate`](Self::validate) checks it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PartialShape(Option<SmallVec<[i64; 4]>>);

impl PartialShape {
    /// Nothing is known, not even the rank.
    pub const fn unknown() -> Self {
        Self(None)
    }

    /// These dimensions; -1 means unknown.
    pub fn of(dims: &[i64]) -> Self {
        Self(Some(SmallVec::from_slice(dims)))
    }

    /// The dimensions, `None` when the rank is unknown.
    pub fn dims(&self) -> Option<&[i64]> {
        self.0.as_deref()
    }

    /// The number of dimensions, `None` when unknown.
    pub fn rank(&self) -> Option<usize> {
        self.dims().map(<[i64]>::len)
    }

    /// Checks that no dimension is below -1, that the rank is allowed, and, where all dimensions are known, that so many
    /// elements can be.
    ///
    /// # Errors
    /// `InvalidArgument` naming the shape.
    pub fn validate(&self) -> Result<()> {
        let dims = self.dims().unwrap_or_default();
        ensure!(
            dims.len() <= MAX_RANK,
            InvalidArgument,
            "Too many dimensions in tensor: {} is over the limit of {MAX_RANK}",
            dims.len()
        );
        ensure!(
            dims.iter().all(|&d| d >= -1),
            InvalidArgument,
            "Shape {self} has dimensions with values below -1 (where -1 means unknown)"
        );
        ensure!(
            dims.contains(&-1) || Shape::new(dims).is_ok(),
            InvalidArgument,
            "Shape {self} is too large (more than 2**63 - 1 entries)"
        );
        Ok(())
    }

    /// Whether a tensor of `shape` may stand where this is expected.
    pub fn is_compatible_with(&self, shape: &Shape) -> bool {
        match self.dims() {
            None => true,
            Some(dims) => {
                dims.len() == shape.rank()
                    && dims
                        .iter()
                        .zip(shape.dims())
                        .all(|(&want, &d)| want == -1 || want == d)
            }
        }
    }

    /// The shape, when everything is known.
    ///
    /// # Errors
    /// `InvalidArgument` when something is unknown or [`Shape::new`] refuses.
    pub fn to_shape(&self) -> Result<Shape> {
        match self.dims() {
            Some(dims) if !dims.contains(&-1) => Shape::new(dims),
            _ => bail!(InvalidArgument, "shape {self} is not fully defined"),
        }
    }
}

impl From<&Shape> for PartialShape {
    fn from(shape: &Shape) -> Self {
        Self::of(shape.dims())
    }
}

impl fmt::Display for PartialShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dims() {
            Some(dims) => fmt::Display::fmt(&DimsDisplay(dims), f),
            None => f.write_str("<unknown>"),
        }
    }
}

impl fmt::Debug for PartialShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted_with_care() {
        let elements = |dims: &[i64]| Shape::new(dims).map(|s| s.num_elements()).ok();
        assert_eq!(elements(&[]), Some(1));
        assert_eq!(elements(&[2, 3, 4]), Some(24));
        assert_eq!(elements(&[0, 3]), Some(0));
        assert_eq!(elements(&[-1]), None);
        assert_eq!(elements(&[1 << 40, 1 << 40, 4]), None);
        // The empty dimension does not excuse the others.
        assert_eq!(elements(&[1 << 40, 0, 1 << 40]), None);
        assert_eq!(elements(&[1; 254]), Some(1));
        assert_eq!(elements(&[1; 255]), None);
    }

    #[test]
    fn dims_are_kept_in_place_and_beside() {
        let of = |rank: usize| {
            let dims: Vec<i64> = (1..=rank as i64).collect();
            (Shape::new(&dims).expect("a shape"), dims)
        };
        for rank in 0..8 {
            let (shape, dims) = of(rank);
            assert_eq!(shape.dims(), dims);
            assert_eq!(shape.clone(), shape);
            assert_eq!(shape.rank(), rank);
            assert_ne!(shape, of(rank + 1).0);
        }
    }

    #[test]
    fn partial_shapes_print_and_match() {
        let p = PartialShape::of(&[2, -1]);
        assert_eq!(p.to_string(), "[2,?]");
        assert_eq!(PartialShape::unknown().to_string(), "<unknown>");
        assert!(p.is_compatible_with(&Shape::new(&[2, 7]).expect("valid")));
        assert!(!p.is_compatible_with(&Shape::new(&[3, 7]).expect("valid")));
        assert!(!p.is_compatible_with(&Shape::scalar()));
        let valid = |dims: &[i64]| PartialShape::of(dims).validate().is_ok();
        assert!(!valid(&[-2]));
        assert!(!valid(&[1 << 62, 1 << 62]));
        // What the unknown dimension is may make it small.
        assert!(valid(&[1 << 62, 1 << 62, -1]));
    }
}
