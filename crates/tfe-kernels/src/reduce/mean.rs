//! `Mean`: the mean of elements along axes. Integers are added up in 64 bits, half-precision floats are widened.

use tfe_core::{DTypeSet, Result, dispatch};
use tfe_device::{Kernel, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::mean::{IntegerMean, Mean};
use tfe_host::{reduce, rules};

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::NUMBER), ("Tidx", DTypeSet::INDEX)],
    host_inputs: &["reduction_indices"],
    ..KernelDef::host(ops::MEAN, rules::reduction, build)
}];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.attrs.dtype("T")?;
    if DTypeSet::INT.contains(dtype) {
        return dispatch!(dtype, Int, |T| reduce::kernel(
            init,
            IntegerMean::<T>::new()
        ));
    }
    dispatch!(
        dtype,
        [Half, Bfloat16, Float, Double, Complex64, Complex128],
        |T| reduce::kernel(init, Mean::<T>::new())
    )
}

#[cfg(test)]
mod tests {
    use tfe_core::Tensor;

    use crate::testing::run;

    /// More than fit a block, whose sum fits neither their type nor the one of blocks.
    #[test]
    fn integers_are_added_up_in_64_bits() {
        let (rows, cols) = (2, 5000);
        let values = (0..rows * cols).map(|i| {
            if i % 4 == 0 {
                i8::MIN
            } else {
                i8::MAX - (i % 3) as i8
            }
        });
        let values: Vec<i8> = values.collect();
        let x = Tensor::from_slice(&[rows.into(), cols.into()], &values).expect("a tensor");
        let mean = |axis: i32| -> Vec<i8> {
            let axes = Tensor::vector(&[axis]).expect("a tensor");
            let means = run("Mean", &[], vec![x.clone(), axes]).expect("means");
            means[0].as_slice::<i8>().expect("means").to_vec()
        };
        let of = |each: &mut dyn Iterator<Item = &i8>| -> i8 {
            let (mut sum, mut n) = (0i64, 0);
            for &value in each {
                sum += i64::from(value);
                n += 1;
            }
            (sum / n) as i8
        };
        let wanted: Vec<i8> = values
            .chunks(cols as usize)
            .map(|row| of(&mut row.iter()))
            .collect();
        assert_eq!(mean(1), wanted);
        let wanted: Vec<i8> = (0..cols as usize)
            .map(|i| of(&mut values.iter().skip(i).step_by(cols as usize)))
            .collect();
        assert_eq!(mean(0), wanted);
        let segments = Tensor::vector(&[0i32, 0]).expect("a tensor");
        let means = run("SegmentMean", &[], vec![x.clone(), segments]).expect("means");
        assert_eq!(means[0].as_slice::<i8>().expect("means"), wanted);
    }
}
