//! `Sum` and `Prod`: the sum and the product of elements along axes. Integers wrap, half-precision floats are widened.

use tfe_core::{DTypeSet, dispatch};
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::accumulate::{Folded, Plus, Times};
use tfe_host::bits::unsigned;
use tfe_host::{reduce, rules};

macro_rules! folded {
    ($init:expr, $function:expr) => {
        dispatch!(
            unsigned($init.attrs.dtype("T")?),
            [
                Half, Bfloat16, Float, Double, Complex64, Complex128, Uint8, Uint16, Uint32, Uint64
            ],
            |T| reduce::kernel($init, Folded::<T, _>::by($function))
        )
    };
}

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: TYPES,
        host_inputs: &["reduction_indices"],
        ..KernelDef::host(ops::SUM, rules::reduction, |init| folded!(init, Plus))
    },
    KernelDef {
        types: TYPES,
        host_inputs: &["reduction_indices"],
        ..KernelDef::host(ops::PROD, rules::reduction, |init| folded!(init, Times))
    },
];

const TYPES: &[(&str, DTypeSet)] = &[("T", DTypeSet::NUMBER), ("Tidx", DTypeSet::INDEX)];

#[cfg(test)]
mod tests {
    use tfe_core::{DataType, Result, Tensor, bf16};

    use crate::testing::run;
    use tfe_host::axes;

    fn sum(dims: &[i64], axes: &[i32], keep: bool) -> Result<Tensor> {
        let n = dims.iter().product::<i64>();
        let x: Vec<i64> = (0..n).map(|i| 1 << (i % 40)).collect();
        let inputs = vec![Tensor::from_slice(dims, &x)?, Tensor::vector(axes)?];
        Ok(run("Sum", &[("keep_dims", keep.into())], inputs)?.remove(0))
    }

    #[test]
    fn every_choice_of_axes_agrees_with_counting() {
        // Among them rows too short for a vector, more rows and columns than are taken at a time, enough for threads.
        let all: &[&[i64]] = &[
            &[],
            &[2, 3, 1, 4],
            &[9, 5, 66],
            &[600, 3],
            &[3, 2100],
            &[300, 40],
            &[1400, 500],
        ];
        for &dims in all {
            for mask in 0..1u32 << dims.len() {
                let axes: Vec<i32> = (0..dims.len() as i32)
                    .filter(|a| mask >> a & 1 == 1)
                    .collect();
                let got = sum(dims, &axes, false).expect("a sum");
                let mut want = vec![0i64; got.num_elements()];
                let mut index = vec![0; dims.len()];
                for i in 0..dims.iter().product::<i64>() {
                    axes::index_of(i as usize, dims, &mut index);
                    let kept = (0..dims.len()).filter(|a| mask >> a & 1 == 0);
                    let at = kept.fold(0, |at, a| at * dims[a] + index[a]);
                    want[at as usize] += 1 << (i % 40);
                }
                assert_eq!(
                    got.as_slice::<i64>().expect("ints"),
                    want,
                    "{dims:?} {axes:?}"
                );
            }
        }
    }

    #[test]
    fn halves_are_added_up_in_single_precision() {
        let x = Tensor::from_iter(&[3000, 2], vec![bf16::from_f32(1.0); 6000]).expect("a tensor");
        for (axis, want) in [(0, 3000.0), (1, 2.0)] {
            let axis = Tensor::scalar(axis).expect("a tensor");
            let out = run("Sum", &[], vec![x.clone(), axis]).expect("a sum");
            let want = bf16::from_f32(want);
            assert!(
                out[0]
                    .as_slice::<bf16>()
                    .expect("bf16")
                    .iter()
                    .all(|&x| x == want)
            );
        }
    }

    #[test]
    fn odd_shapes_and_axes() {
        assert_eq!(sum(&[2, 3], &[-1], true).expect("a sum").dims(), [2, 1]);
        let empty = sum(&[0, 3], &[0], false).expect("a sum");
        assert_eq!(empty.as_slice::<i64>().expect("ints"), [0; 3]);
        assert_eq!(sum(&[0, 3], &[1], false).expect("a sum").dims(), [0]);
        for axes in [&[2][..], &[-3], &[0, 0], &[1, -1]] {
            let e = sum(&[2, 3], axes, false).expect_err("refused");
            assert_eq!(e.code(), tfe_core::Code::InvalidArgument);
        }
        assert_eq!(DataType::Int64, empty.dtype());
    }

    #[test]
    fn long_sums_keep_their_digits() {
        let x = Tensor::vector(&vec![0.1f32; 1_000_003]).expect("a tensor");
        let axes = Tensor::scalar(0i64).expect("a tensor");
        let out = run("Sum", &[], vec![x, axes]).expect("a sum");
        let got = out[0].scalar_value::<f32>().expect("a float");
        assert!((got / 100_000.3 - 1.0).abs() < 1e-6, "{got}");
    }

    #[test]
    fn negative_zeros_add_up_to_zero() {
        for n in 1..20 {
            let x = Tensor::from_iter(&[3, n], std::iter::repeat_n(-0.0f32, 3 * n as usize));
            let axis = Tensor::vector(&[1i32]).expect("a tensor");
            let out = run("Sum", &[], vec![x.expect("a tensor"), axis]).expect("a sum");
            let sums = out[0].as_slice::<f32>().expect("floats");
            // One alone is not added to anything.
            let want = if n == 1 { -0.0f32 } else { 0.0 }.to_bits();
            assert!(sums.iter().all(|s| s.to_bits() == want), "{n}: {sums:?}");
        }
    }
}
