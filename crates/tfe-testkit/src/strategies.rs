//! Proptest strategies for shapes, data types, tensors and pairs that broadcast, with the odd values that break things.
//!
//! ```
//! use proptest::prelude::*;
//! use tfe_core::DTypeSet;
//! use tfe_testkit::strategies;
//!
//! proptest!(|(dims in strategies::dims(3, 4))| {
//!     prop_assert!(dims.len() <= 3 && dims.iter().all(|&d| d <= 4));
//! });
//! proptest!(|(tensor in strategies::tensor_of(DTypeSet::FLOAT, 2, 3))| {
//!     prop_assert!(tensor.num_elements() <= 9);
//! });
//! ```

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use tfe_core::{Complex, DTypeSet, DataType, Shape, Tensor};

use crate::conformance::data::{epsilon, int_range, odd};
use crate::values::{self, Values};

/// Dimensions of a shape of up to `most_rank` dimensions, each from 0 to `most`; zeros and ones are common.
pub fn dims(most_rank: usize, most: i64) -> impl Strategy<Value = Vec<i64>> {
    vec(dim(most), 0..=most_rank)
}

fn dim(most: i64) -> impl Strategy<Value = i64> {
    prop_oneof![1 => Just(0), 3 => Just(1), 12 => 1..=most]
}

/// A data type of the set, which must not be empty.
pub fn dtype(among: DTypeSet) -> impl Strategy<Value = DataType> {
    select(among.iter().collect::<Vec<_>>())
}

/// A tensor of any data type of the set.
pub fn tensor_of(among: DTypeSet, most_rank: usize, most: i64) -> impl Strategy<Value = Tensor> {
    (dtype(among), dims(most_rank, most)).prop_flat_map(|(dtype, dims)| tensor(dtype, dims))
}

/// A tensor of that data type and shape. A third of the elements of numbers are odd: extremes, and for floats NaN,
/// infinities, both zeros and denormals.
pub fn tensor(dtype: DataType, dims: Vec<i64>) -> BoxedStrategy<Tensor> {
    tensor_with(dtype, dims, true)
}

/// A tensor of that data type and shape with finite numbers of ordinary size.
pub fn ordinary_tensor(dtype: DataType, dims: Vec<i64>) -> BoxedStrategy<Tensor> {
    tensor_with(dtype, dims, false)
}

fn tensor_with(dtype: DataType, dims: Vec<i64>, with_odd: bool) -> BoxedStrategy<Tensor> {
    let n = dims.iter().product::<i64>() as usize;
    let shape = Shape::new(&dims).expect("a shape");
    let make =
        move |values: Values| values::tensor(dtype, &dims, &values).expect("values of the shape");
    let odd = odd(dtype).filter(|_| with_odd);
    match dtype {
        DataType::String => {
            // Around the length that fits into an element.
            let text = prop_oneof![vec(any::<u8>(), 0..4), vec(any::<u8>(), 20..26)];
            vec(text, n)
                .prop_map(move |v| make(Values::Text(v)))
                .boxed()
        }
        DataType::Complex64 | DataType::Complex128 => {
            let one = (-8.0..8.0f64, -8.0..8.0f64)
                .prop_map(|(re, im)| Complex::new(re, im))
                .boxed();
            let one = match odd {
                Some(Values::Complex(odd)) => prop_oneof![2 => one, 1 => select(odd)].boxed(),
                _ => one,
            };
            vec(one, n)
                .prop_map(move |v| make(Values::Complex(v)))
                .boxed()
        }
        _ if int_range(dtype).is_some() => {
            let (least, most) = int_range(dtype).unwrap_or_default();
            let one = (least.max(-100)..=most.min(100)).boxed();
            let one = match odd {
                Some(Values::Int(odd)) => prop_oneof![2 => one, 1 => select(odd)].boxed(),
                _ => one,
            };
            vec(one, n).prop_map(move |v| make(Values::Int(v))).boxed()
        }
        _ if epsilon(dtype) > 0.0 => {
            let one = (-8.0..8.0f64).boxed();
            let one = match odd {
                Some(Values::Float(odd)) => prop_oneof![2 => one, 1 => select(odd)].boxed(),
                _ => one,
            };
            vec(one, n)
                .prop_map(move |v| make(Values::Float(v)))
                .boxed()
        }
        _ if dtype.is_plain() => vec(0..8u8, n * dtype.size())
            .prop_map(move |bytes| {
                Tensor::from_plain_bytes(dtype, shape.clone(), &bytes).expect("bytes of the shape")
            })
            .boxed(),
        _ => Just(Tensor::zeros(dtype, shape).expect("memory")).boxed(),
    }
}

/// Two shapes that broadcast to one another.
pub fn broadcastable(most_rank: usize, most: i64) -> impl Strategy<Value = (Vec<i64>, Vec<i64>)> {
    let axis = (dim(most), 0..4u8);
    (vec(axis, 0..=most_rank), 0..=most_rank, any::<bool>()).prop_map(|(axes, cut, left)| {
        let side = |one: u8| {
            axes.iter()
                .map(|&(d, which)| if which == one { 1 } else { d })
                .collect()
        };
        let (mut a, mut b): (Vec<i64>, Vec<i64>) = (side(0), side(1));
        // Leading dimensions may be missing on one side.
        let shorter = if left { &mut a } else { &mut b };
        shorter.drain(..cut.min(shorter.len()));
        (a, b)
    })
}

/// Two tensors of one data type of the set that broadcast to one another.
pub fn broadcastable_tensors(
    among: DTypeSet,
    most_rank: usize,
    most: i64,
) -> impl Strategy<Value = (Tensor, Tensor)> {
    (dtype(among), broadcastable(most_rank, most))
        .prop_flat_map(|(dtype, (a, b))| (tensor(dtype, a), tensor(dtype, b)))
}

#[cfg(test)]
mod tests {
    use proptest::strategy::ValueTree as _;

    use super::*;

    proptest! {
        #[test]
        fn pairs_broadcast((a, b) in broadcastable(4, 3)) {
            let pad = |dims: &[i64], i: usize, rank: usize| (i + dims.len()).checked_sub(rank).map_or(1, |i| dims[i]);
            let rank = a.len().max(b.len());
            for i in 0..rank {
                let (x, y) = (pad(&a, i, rank), pad(&b, i, rank));
                prop_assert!(x == y || x == 1 || y == 1, "{a:?} {b:?}");
            }
        }

        #[test]
        fn every_data_type_has_tensors(t in tensor_of(DTypeSet::ANY, 3, 3)) {
            prop_assert!(t.rank() <= 3 && t.dims().iter().all(|&d| (0..=3).contains(&d)));
        }
    }

    #[test]
    fn odd_values_and_empty_shapes_come_up() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let (mut nans, mut empty, mut scalars) = (0, 0, 0);
        for _ in 0..500 {
            let t = tensor_of(DTypeSet::of(&[DataType::Float]), 3, 4).new_tree(&mut runner);
            let t = t.expect("a tensor").current();
            let values = t.as_slice::<f32>().expect("float");
            nans += usize::from(values.iter().any(|v| v.is_nan()));
            empty += usize::from(values.is_empty());
            scalars += usize::from(t.rank() == 0);
        }
        assert!(
            nans > 20 && empty > 20 && scalars > 20,
            "{nans} {empty} {scalars}"
        );
    }
}
