//! The suites: a file for each op or tight family, with its samples and its reference.

mod cast;
pub(super) mod concat;
pub(super) mod elementwise;
pub(super) mod mat_mul;
mod moves;
mod pass;
mod reductions;
pub(super) mod strided_slice;
mod string_join;
pub(super) mod sum;
pub(super) mod top_k;
mod unary;
mod windows;

use tfe_attrs::AttrValue;
use tfe_core::{Code, DataType, Result, Tensor};

use super::{Sample, Suite, Want};

/// All suites.
pub fn suites() -> Vec<Suite> {
    [
        elementwise::SUITES,
        moves::SUITES,
        pass::SUITES,
        &reductions::NUMBERS,
        &reductions::TRUTH_VALUES,
        unary::SUITES,
        &windows::CONVOLUTIONS,
        &windows::POOLINGS,
        &[
            cast::SUITE,
            concat::SUITE,
            mat_mul::SUITE,
            strided_slice::SUITE,
            string_join::SUITE,
            sum::SUITE,
            top_k::SUITE,
        ],
    ]
    .concat()
}

type Attrs = Vec<(String, AttrValue)>;

/// Attributes from names and values.
fn attrs<const N: usize>(list: [(&str, AttrValue); N]) -> Attrs {
    list.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Collects samples of one set of data types.
struct Samples {
    /// Attributes that all of them share.
    common: Attrs,
    list: Vec<Sample>,
}

impl Samples {
    fn new(common: Attrs) -> Self {
        Self {
            common,
            list: Vec::new(),
        }
    }

    fn add<const N: usize>(
        &mut self,
        name: impl Into<String>,
        more: [(&str, AttrValue); N],
        inputs: Vec<Tensor>,
        want: Want,
    ) {
        let mut attrs = self.common.clone();
        attrs.extend(self::attrs(more));
        self.list.push(Sample {
            name: name.into(),
            attrs,
            inputs,
            want,
        });
    }

    /// A call that fails with `InvalidArgument`.
    fn add_invalid<const N: usize>(
        &mut self,
        name: impl Into<String>,
        more: [(&str, AttrValue); N],
        inputs: Vec<Tensor>,
    ) {
        self.add(name, more, inputs, Want::Failure(Code::InvalidArgument));
    }
}

/// A vector of zeros, which every data type has.
fn zeros(dtype: DataType) -> Result<Tensor> {
    Tensor::zeros(dtype, tfe_core::Shape::vector(2))
}

/// An index argument.
fn indices(dtype: DataType, values: &[i64]) -> Result<Tensor> {
    index_tensor(dtype, &[values.len() as i64], values)
}

/// An index argument that is a scalar.
fn index(dtype: DataType, value: i64) -> Result<Tensor> {
    index_tensor(dtype, &[], &[value])
}

fn index_tensor(dtype: DataType, dims: &[i64], values: &[i64]) -> Result<Tensor> {
    let values = values.iter().map(|&v| v.into()).collect();
    crate::values::tensor(dtype, dims, &crate::values::Values::Int(values))
}
