//! `Inference`: one question to a rule, of tensors or of what is known of inputs; and its answer.

use smallvec::SmallVec;
use tfe_core::{DataType, Error, MAX_RANK, PartialShape, Result, Shape, Tensor, ensure, err};

use crate::{Fact, OutputShape, dim};

/// One question to a rule: what is known of the inputs, and where the answer goes.
///
/// Dimensions are `i64`, -1 where unknown, as in attributes; [`dim`] calculates with them. Inputs are flat: a list
/// argument is as many inputs as it has elements.
pub struct Inference<'a> {
    inputs: Inputs<'a>,
    outputs: &'a mut [OutputShape],
}

#[derive(Clone, Copy)]
enum Inputs<'a> {
    Tensors(&'a [Option<Tensor>]),
    Facts(&'a [Fact]),
}

impl<'a> Inference<'a> {
    /// The question about a call of these tensors.
    #[inline]
    pub(crate) fn of_tensors(inputs: &'a [Option<Tensor>], outputs: &'a mut [OutputShape]) -> Self {
        Self {
            inputs: Inputs::Tensors(inputs),
            outputs,
        }
    }

    /// The question about a call of which these facts are known.
    pub fn of_facts(inputs: &'a [Fact], outputs: &'a mut [OutputShape]) -> Self {
        Self {
            inputs: Inputs::Facts(inputs),
            outputs,
        }
    }

    /// The number of inputs.
    #[inline]
    pub fn num_inputs(&self) -> usize {
        match self.inputs {
            Inputs::Tensors(tensors) => tensors.len(),
            Inputs::Facts(facts) => facts.len(),
        }
    }

    /// The number of outputs.
    pub fn num_outputs(&self) -> usize {
        self.outputs.len()
    }

    #[inline]
    fn tensor(&self, i: usize) -> Option<&'a Tensor> {
        match self.inputs {
            Inputs::Tensors(tensors) => tensors.get(i)?.as_ref(),
            Inputs::Facts(facts) => facts.get(i)?.value.as_ref(),
        }
    }

    /// The type of input `i`.
    ///
    /// # Panics
    /// When there is no such input: a fault of the rule, whose signature was checked.
    pub fn dtype(&self, i: usize) -> DataType {
        match self.inputs {
            Inputs::Tensors(tensors) => tensors[i].as_ref().expect("an input").dtype(),
            Inputs::Facts(facts) => facts[i].dtype,
        }
    }

    /// The shape of input `i` if all of it is known, for what can be answered without looking at dimensions.
    #[inline]
    pub fn shape(&self, i: usize) -> Option<&'a Shape> {
        match self.inputs {
            Inputs::Tensors(tensors) => Some(tensors.get(i)?.as_ref()?.shape()),
            Inputs::Facts(facts) => Some(facts.get(i)?.value.as_ref()?.shape()),
        }
    }

    /// The dimensions of input `i`, -1 where unknown; `None` when not even the rank is known.
    #[inline]
    pub fn dims(&self, i: usize) -> Option<&'a [i64]> {
        match self.inputs {
            Inputs::Tensors(tensors) => Some(tensors.get(i)?.as_ref()?.dims()),
            Inputs::Facts(facts) => facts.get(i)?.shape.dims(),
        }
    }

    /// The shape of input `i` if all its dimensions are known, and are those of a shape.
    pub fn known(&self, i: usize) -> Option<Shape> {
        match self.shape(i) {
            Some(shape) => Some(shape.clone()),
            None => Shape::new(self.dims(i)?).ok(),
        }
    }

    /// The rank of input `i`, if known.
    #[inline]
    pub fn rank(&self, i: usize) -> Option<usize> {
        self.dims(i).map(<[i64]>::len)
    }

    /// The shape of all inputs if it is known, and the same; there is one input at least.
    #[inline]
    pub fn common_shape(&self) -> Option<&'a Shape> {
        match self.inputs {
            Inputs::Tensors([Some(first), others @ ..]) => {
                let shape = first.shape();
                let is_alike =
                    |other: &Option<Tensor>| other.as_ref().is_some_and(|t| t.shape() == shape);
                others.iter().all(is_alike).then_some(shape)
            }
            _ => None,
        }
    }

    /// The number of elements of input `i`, if known.
    pub fn num_elements(&self, i: usize) -> Option<i64> {
        match self.shape(i) {
            Some(shape) => Some(shape.num_elements() as i64),
            None => dim::known(dim::product(self.dims(i)?)),
        }
    }

    /// The value of input `i`, where it is known and in host memory. Rules look at small inputs only: sizes, axes,
    /// permutations.
    #[inline]
    pub fn value(&self, i: usize) -> Option<&'a Tensor> {
        self.tensor(i).filter(|tensor| tensor.is_host())
    }

    /// The elements of an integer input of any shape, where its value is known.
    ///
    /// # Errors
    /// `Unimplemented` for a type that indexes nothing.
    pub fn integers(&self, i: usize) -> Result<Option<SmallVec<[i64; 8]>>> {
        self.value(i).map(crate::integers).transpose()
    }

    /// The first element of an integer input, where its value is known.
    ///
    /// # Errors
    /// `Unimplemented` for a type that indexes nothing; `InvalidArgument` when there is no element.
    pub fn integer(&self, i: usize) -> Result<Option<i64>> {
        self.value(i).map(crate::integer).transpose()
    }

    /// The shape of input `i` for messages: `[2,?]`.
    pub fn shown(&self, i: usize) -> PartialShape {
        self.dims(i)
            .map_or(PartialShape::unknown(), PartialShape::of)
    }

    /// Checks that input `i` is a scalar, as far as its rank is known.
    ///
    /// # Errors
    /// `InvalidArgument`: «`name` must be a scalar, got shape `[2]`».
    #[inline]
    pub fn scalar(&self, i: usize, name: &str) -> Result<()> {
        match self.rank(i) {
            None | Some(0) => Ok(()),
            Some(_) => Err(err!(
                InvalidArgument,
                "{name} must be a scalar, got shape {}",
                self.shown(i)
            )),
        }
    }

    /// Checks that input `i` is a vector, as far as its rank is known.
    ///
    /// # Errors
    /// `InvalidArgument`: «`name` must be a vector, got shape `[]`».
    #[inline]
    pub fn vector(&self, i: usize, name: &str) -> Result<()> {
        self.of_rank(i, 1, || {
            err!(
                InvalidArgument,
                "{name} must be a vector, got shape {}",
                self.shown(i)
            )
        })
    }

    /// Checks that input `i` has that rank, as far as its rank is known.
    ///
    /// # Errors
    /// `wrong`.
    #[inline]
    pub fn of_rank(&self, i: usize, rank: usize, wrong: impl FnOnce() -> Error) -> Result<()> {
        match self.rank(i) {
            Some(given) if given != rank => Err(wrong()),
            _ => Ok(()),
        }
    }

    /// Checks that input `i` has that rank or a greater one, as far as its rank is known.
    ///
    /// # Errors
    /// `wrong`.
    #[inline]
    pub fn at_least_rank(
        &self,
        i: usize,
        rank: usize,
        wrong: impl FnOnce() -> Error,
    ) -> Result<()> {
        match self.rank(i) {
            Some(given) if given < rank => Err(wrong()),
            _ => Ok(()),
        }
    }

    /// Whether all that is known of the two shapes is equal.
    pub fn may_be_equal(&self, i: usize, j: usize) -> bool {
        match (self.dims(i), self.dims(j)) {
            (Some(a), Some(b)) => dim::may_be_equal(a, b),
            _ => true,
        }
    }

    /// Says that output `i` has these dimensions, -1 where unknown.
    ///
    /// # Errors
    /// `InvalidArgument` when they are no shape, as [`Shape::new`] says.
    #[inline]
    pub fn set(&mut self, i: usize, dims: &[i64]) -> Result<()> {
        self.outputs[i] = match Shape::new(dims) {
            Ok(shape) => OutputShape::Known(shape),
            Err(_) if dims.contains(&dim::UNKNOWN) => {
                let part = PartialShape::of(dims);
                part.validate()?;
                OutputShape::Partial(part)
            }
            Err(e) => return Err(e),
        };
        Ok(())
    }

    /// Says that output `i` has this shape.
    #[inline]
    pub fn set_shape(&mut self, i: usize, shape: Shape) {
        self.outputs[i] = OutputShape::Known(shape);
    }

    /// Says that output `i` is a scalar.
    #[inline]
    pub fn set_scalar(&mut self, i: usize) {
        self.set_shape(i, Shape::scalar());
    }

    /// How many dimensions the elements of input `i` speak of, one each, if that is known and no more than a shape has.
    pub fn entries(&self, i: usize) -> Option<usize> {
        let entries = usize::try_from(self.num_elements(i)?).ok()?;
        (entries <= MAX_RANK).then_some(entries)
    }

    /// Says that output `i` has a rank, and nothing of its dimensions; nothing at all when no shape has so many.
    pub fn set_rank(&mut self, i: usize, rank: usize) {
        if rank > MAX_RANK {
            return;
        }
        let dims: SmallVec<[i64; 8]> = SmallVec::from_elem(dim::UNKNOWN, rank);
        self.outputs[i] = if rank == 0 {
            OutputShape::Known(Shape::scalar())
        } else {
            OutputShape::Partial(PartialShape::of(&dims))
        };
    }

    /// Says that output `i` has the shape of input `j`.
    #[inline]
    pub fn set_like(&mut self, i: usize, j: usize) {
        self.outputs[i] = match self.inputs {
            Inputs::Tensors(tensors) => match &tensors[j] {
                Some(tensor) => OutputShape::Known(tensor.shape().clone()),
                None => OutputShape::default(),
            },
            Inputs::Facts(facts) => match facts[j].shape.to_shape() {
                Ok(shape) => OutputShape::Known(shape),
                Err(_) => OutputShape::Partial(facts[j].shape.clone()),
            },
        };
    }

    /// Says that output `i` has a shape that an attribute told.
    ///
    /// # Errors
    /// `InvalidArgument` when it is none.
    pub fn set_partial(&mut self, i: usize, shape: &PartialShape) -> Result<()> {
        match shape.dims() {
            Some(dims) => self.set(i, dims),
            None => {
                self.outputs[i] = OutputShape::default();
                Ok(())
            }
        }
    }

    /// Says that output `i` has the shape that the elements of input `j` are the dimensions of.
    ///
    /// # Errors
    /// `InvalidArgument` for elements that are no dimensions, or too many.
    pub fn set_from_sizes(&mut self, i: usize, j: usize) -> Result<()> {
        match self.integers(j)? {
            Some(sizes) => {
                ensure!(
                    sizes.iter().all(|&d| d >= 0),
                    InvalidArgument,
                    "Dimension {} must be >= 0",
                    sizes.iter().find(|&&d| d < 0).copied().unwrap_or_default()
                );
                self.set(i, &sizes)
            }
            None => {
                if let Some(rank) = self.num_elements(j) {
                    ensure!(
                        rank <= MAX_RANK as i64,
                        InvalidArgument,
                        "Too many dimensions in tensor: {rank} is over the limit of {MAX_RANK}"
                    );
                    self.set_rank(i, rank as usize);
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutputShapes;

    #[test]
    fn what_is_said_of_outputs_is_exact_only_when_all_is_known() {
        let facts = [
            Fact::of(DataType::Float, PartialShape::of(&[2, -1])),
            Fact::of(DataType::Float, PartialShape::unknown()),
            Fact::from(&Tensor::vector(&[4i32, 5]).expect("memory")),
        ];
        let mut outputs: OutputShapes = SmallVec::from_elem(OutputShape::default(), 4);
        let mut call = Inference::of_facts(&facts, &mut outputs);
        assert_eq!((call.rank(0), call.rank(1)), (Some(2), None));
        assert!(call.may_be_equal(0, 1) && !call.may_be_equal(0, 2));
        call.scalar(1, "x").expect("it may be one");
        let e = call.scalar(0, "x").expect_err("it is a matrix");
        assert_eq!(e.message(), "x must be a scalar, got shape [2,?]");
        call.set_rank(1, 1 << 40);
        call.set_like(0, 0);
        call.set_like(1, 1);
        call.set_from_sizes(2, 2).expect("sizes");
        call.set(3, &[-1, 7]).expect("dimensions");
        assert_eq!(outputs[0], OutputShape::Partial(PartialShape::of(&[2, -1])));
        assert_eq!(outputs[1], OutputShape::default());
        assert_eq!(
            outputs[2],
            OutputShape::Known(Shape::new(&[4, 5]).expect("a shape"))
        );
        assert!(outputs[3].allows(&Shape::new(&[0, 7]).expect("a shape")));
        assert!(!outputs[3].allows(&Shape::new(&[7, 0]).expect("a shape")));
    }

    #[test]
    fn more_sizes_than_dimensions_of_a_shape_are_refused_unseen() {
        let facts = [Fact::of(DataType::Int64, PartialShape::of(&[1 << 40]))];
        let mut outputs = [OutputShape::default()];
        let e = Inference::of_facts(&facts, &mut outputs).set_from_sizes(0, 0);
        let message = "Too many dimensions in tensor: 1099511627776 is over the limit of 254";
        assert_eq!(e.expect_err("no shape").message(), message);
    }
}
