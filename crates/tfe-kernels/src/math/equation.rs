//! The equation of `Einsum`: a label for each dimension.

use smallvec::SmallVec;
use tfe_core::{Result, bail, ensure};

/// What dimensions of the same size have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    /// A letter, as it stands in the equation.
    Named(u8),
    /// One of the dimensions that an ellipsis stands for, counted from the last. These are broadcast.
    Ellipsis(usize),
}

/// The labels on one side of an ellipsis and on the other; `None` where there is no ellipsis.
#[derive(Clone, Debug)]
struct Subscripts {
    before: Vec<u8>,
    after: Option<Vec<u8>>,
}

/// An equation as `ij,jk->ik`.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    inputs: SmallVec<[Subscripts; 2]>,
    output: Subscripts,
}

impl Equation {
    /// Reads an equation of one or two inputs.
    ///
    /// # Errors
    /// `InvalidArgument` when it is none.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let sides: Vec<&str> = text.split("->").collect();
        let [inputs, output] = sides[..] else {
            bail!(
                InvalidArgument,
                "Expecting exactly one '->' in einsum equation: {text}"
            );
        };
        let inputs = inputs.split(',').map(Subscripts::parse);
        let inputs = inputs.collect::<Result<SmallVec<[Subscripts; 2]>>>()?;
        ensure!(
            inputs.len() <= 2,
            InvalidArgument,
            "Expecting 1 or 2 input subscripts in equation '{text}' but got: {}",
            inputs.len()
        );
        let output = Subscripts::parse(output)?;
        for name in output.names() {
            ensure!(
                inputs
                    .iter()
                    .flat_map(Subscripts::names)
                    .any(|known| known == name),
                InvalidArgument,
                "the output label '{}' of '{text}' is in no input",
                char::from(name)
            );
        }
        Ok(Self { inputs, output })
    }

    pub(super) fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// The labels of the dimensions of input `i`.
    ///
    /// # Errors
    /// `InvalidArgument` when it has another number of dimensions.
    pub(super) fn labels(&self, i: usize, rank: usize) -> Result<SmallVec<[Label; 8]>> {
        let input = &self.inputs[i];
        let names = input.names().count();
        let ellipsis = match input.after {
            None => {
                ensure!(
                    rank == names,
                    InvalidArgument,
                    "Expected input {i} to have rank {names} but got: {rank}"
                );
                0
            }
            Some(_) => {
                ensure!(
                    rank >= names,
                    InvalidArgument,
                    "Expected input {i} to have rank at least {names} but got: {rank}"
                );
                rank - names
            }
        };
        Ok(input.labels(ellipsis))
    }

    /// The labels of the dimensions of the output, given those of the inputs.
    ///
    /// # Errors
    /// `InvalidArgument` when inputs are broadcast and the output is not.
    pub(super) fn output<'l>(
        &self,
        inputs: impl Iterator<Item = &'l [Label]>,
    ) -> Result<SmallVec<[Label; 8]>> {
        let ellipsis = inputs.flatten().map(|label| match label {
            Label::Ellipsis(i) => i + 1,
            Label::Named(_) => 0,
        });
        let ellipsis = ellipsis.max().unwrap_or(0);
        ensure!(
            ellipsis == 0 || self.output.after.is_some(),
            InvalidArgument,
            "Output contains {ellipsis} broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts."
        );
        Ok(self.output.labels(ellipsis))
    }
}

impl Subscripts {
    fn parse(text: &str) -> Result<Self> {
        let parts: Vec<&str> = text.split("...").collect();
        let (before, after) = match parts[..] {
            [before] => (before, None),
            [before, after] => (before, Some(after)),
            _ => bail!(InvalidArgument, "'{text}' has more than one ellipsis"),
        };
        ensure!(
            !before.contains('.') && !after.is_some_and(|after| after.contains('.')),
            InvalidArgument,
            "'{text}' has a dot that belongs to no ellipsis (...)"
        );
        Ok(Self {
            before: before.into(),
            after: after.map(Into::into),
        })
    }

    fn names(&self) -> impl Iterator<Item = u8> + Clone {
        self.before
            .iter()
            .chain(self.after.iter().flatten())
            .copied()
    }

    /// The labels, where the ellipsis stands for so many.
    fn labels(&self, ellipsis: usize) -> SmallVec<[Label; 8]> {
        let mut labels: SmallVec<[Label; 8]> =
            self.before.iter().copied().map(Label::Named).collect();
        if let Some(after) = &self.after {
            labels.extend((0..ellipsis).rev().map(Label::Ellipsis));
            labels.extend(after.iter().copied().map(Label::Named));
        }
        labels
    }
}
