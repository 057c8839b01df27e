//! Rounding of each element to an integer: down, up, or to the nearest one.

use tfe_core::{DTypeSet, DataType};
use tfe_device::KernelDef;
use tfe_ops::ops;

use tfe_host::elementwise::chosen;
use tfe_host::function::map;
use tfe_host::number::Real;
use tfe_host::{cost, rules};

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef::host(ops::FLOOR, rules::like::<0>, |init| {
        let functions = [
            map(|x: f32| x.flushed().floor()),
            map(|x: f64| x.flushed().floor()),
        ];
        chosen(init, functions, cost::DIVISION)
    })
    .of(&[("T", DTypeSet::FLOAT)]),
    KernelDef::host(ops::CEIL, rules::like::<0>, |init| {
        let functions = [
            map(|x: f32| x.flushed().ceil()),
            map(|x: f64| x.flushed().ceil()),
        ];
        chosen(init, functions, cost::DIVISION)
    })
    .of(&[("T", DTypeSet::FLOAT)]),
    KernelDef::host(ops::RINT, rules::like::<0>, |init| {
        chosen(
            init,
            [map(f32::round_ties_even), map(f64::round_ties_even)],
            cost::DIVISION,
        )
    })
    .of(&[("T", DTypeSet::of(&[DataType::Float, DataType::Double]))]),
    KernelDef::host(ops::ROUND, rules::like::<0>, |init| {
        let functions = [
            map(f32::round_ties_even),
            map(f64::round_ties_even),
            // The answer of TensorFlow, which programs and recorded results have come to expect.
            map(|_: i32| 0i32),
            map(|_: i64| 0i64),
        ];
        chosen(init, functions, cost::DIVISION)
    })
    .of(&[("T", DTypeSet::FLOAT.union(DTypeSet::INDEX))]),
];
