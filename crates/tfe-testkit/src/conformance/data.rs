//! Data for samples: for each data type some ordinary values and the odd ones, the same in every run.

use std::sync::Arc;

use tfe_core::{
    Complex, DataType, ResourceHandle, ResourceRef, Result, Shape, Tensor, Variant, VariantValue,
};

use crate::values::{self, Values};

/// A small generator of numbers (SplitMix64): the same seed gives the same numbers everywhere.
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// The numbers of that seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// An integer from `least` to `most`.
    pub fn int(&mut self, least: i128, most: i128) -> i128 {
        least + i128::from(self.bits()) % (most - least + 1)
    }

    /// A float between -4 and 4, in steps of 2^-10.
    pub fn float(&mut self) -> f64 {
        self.int(-4096, 4096) as f64 / 1024.0
    }
}

/// The least and the greatest value of an integer type.
pub fn int_range(dtype: DataType) -> Option<(i128, i128)> {
    Some(match values::quantised(dtype).unwrap_or(dtype) {
        DataType::Int8 => (i8::MIN.into(), i8::MAX.into()),
        DataType::Int16 => (i16::MIN.into(), i16::MAX.into()),
        DataType::Int32 => (i32::MIN.into(), i32::MAX.into()),
        DataType::Int64 => (i64::MIN.into(), i64::MAX.into()),
        DataType::Uint8 => (0, u8::MAX.into()),
        DataType::Uint16 => (0, u16::MAX.into()),
        DataType::Uint32 => (0, u32::MAX.into()),
        DataType::Uint64 => (0, u64::MAX.into()),
        DataType::Bool => (0, 1),
        DataType::Int4 => (-8, 7),
        DataType::Uint4 => (0, 15),
        DataType::Int2 => (-2, 1),
        DataType::Uint2 => (0, 3),
        _ => return None,
    })
}

/// The distance from 1 to the next number of a float type, or of a complex type's parts.
pub fn epsilon(dtype: DataType) -> f64 {
    match dtype {
        DataType::Half => 1.0 / 1024.0,
        DataType::Bfloat16 => 1.0 / 128.0,
        DataType::Float | DataType::Complex64 => f64::from(f32::EPSILON),
        DataType::Double | DataType::Complex128 => f64::EPSILON,
        DataType::Float8E5m2 => 0.25,
        DataType::Float8E4m3fn => 0.125,
        DataType::Float4E2m1fn => 0.5,
        _ => 0.0,
    }
}

/// What a kernel sees or gives in the place of a denormal: zero, except for `half`, whose denormals are ordinary `float`
/// numbers, which is what kernels compute in.
pub fn flushed(dtype: DataType, value: f64) -> f64 {
    if value.abs() < least_normal(dtype) {
        0.0f64.copysign(value)
    } else {
        value
    }
}

/// The least number that kernels do not take for zero; 0 where they take all.
pub fn least_normal(dtype: DataType) -> f64 {
    match dtype {
        DataType::Float | DataType::Bfloat16 | DataType::Complex64 => f32::MIN_POSITIVE.into(),
        DataType::Double | DataType::Complex128 => f64::MIN_POSITIVE,
        _ => 0.0,
    }
}

/// A tensor of ordinary values.
///
/// # Errors
/// When `dims` is no shape.
pub fn ordinary(dtype: DataType, dims: &[i64], seed: u64) -> Result<Tensor> {
    let mut numbers = Numbers::new(seed ^ u64::from(dtype.number().unsigned_abs()) << 32);
    let shape = Shape::new(dims)?;
    let each = 0..shape.num_elements();
    let values = match dtype {
        DataType::String => Values::Text(each.map(|_| text(&mut numbers)).collect()),
        DataType::Complex64 | DataType::Complex128 => Values::Complex(
            each.map(|_| Complex::new(numbers.float(), numbers.float()))
                .collect(),
        ),
        DataType::Resource => return handles(dims),
        DataType::Variant => return variants(dims, &mut numbers),
        _ => {
            if let Some((least, most)) = int_range(dtype) {
                let (least, most) = (least.max(-50), most.min(50));
                Values::Int(each.map(|_| numbers.int(least, most)).collect())
            } else if epsilon(dtype) > 0.0 {
                Values::Float(each.map(|_| numbers.float()).collect())
            } else {
                // Types without arithmetic here: any bytes will do, if they are few enough bits for the smallest.
                let bytes = each.len() * dtype.size();
                let bytes: Vec<u8> = (0..bytes).map(|_| numbers.int(0, 7) as u8).collect();
                return Tensor::from_plain_bytes(dtype, shape, &bytes);
            }
        }
    };
    values::tensor(dtype, dims, &values)
}

/// Half of them short enough for the element itself.
fn text(numbers: &mut Numbers) -> Vec<u8> {
    let len = numbers.int(0, 44);
    (0..len).map(|_| numbers.int(0, 255) as u8).collect()
}

fn handles(dims: &[i64]) -> Result<Tensor> {
    let n = Shape::new(dims)?.num_elements();
    let handle = |i: usize| {
        ResourceHandle::new(ResourceRef {
            device: "nowhere".to_owned(),
            container: "samples".to_owned(),
            name: i.to_string(),
            type_name: "sample",
            slot: Arc::new(()),
        })
    };
    Tensor::from_iter(dims, (0..n).map(handle))
}

#[derive(Debug)]
struct SampleVariant(#[expect(dead_code, reason = "told apart by what it prints")] u64);

impl VariantValue for SampleVariant {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn variants(dims: &[i64], numbers: &mut Numbers) -> Result<Tensor> {
    let n = Shape::new(dims)?.num_elements();
    let variants: Vec<_> = (0..n)
        .map(|_| Variant::new(Arc::new(SampleVariant(numbers.bits()))))
        .collect();
    Tensor::from_iter(dims, variants)
}

/// The values of a number type where mistakes are made: extremes, zeros, and for floats NaN, infinities, denormals.
pub fn odd(dtype: DataType) -> Option<Values> {
    if let Some((least, most)) = int_range(dtype) {
        let mut values = vec![least, least + 1, 0, 1, most - 1, most];
        values.extend((least < 0).then_some(-1));
        return Some(Values::Int(values));
    }
    let (greatest, smallest) = match dtype {
        DataType::Half => (65504.0, f64::powi(2.0, -14)),
        DataType::Bfloat16 => (
            f64::from(f32::from_bits(0x7f7f_0000)),
            f32::MIN_POSITIVE.into(),
        ),
        DataType::Float | DataType::Complex64 => (f32::MAX.into(), f32::MIN_POSITIVE.into()),
        DataType::Double | DataType::Complex128 => (f64::MAX, f64::MIN_POSITIVE),
        _ => return None,
    };
    let floats = vec![
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -0.0,
        1.0,
        -1.5,
        greatest,
        -greatest,
        smallest,
        -smallest / 4.0,
        1.0 + epsilon(dtype),
        1.0 / 3.0,
    ];
    if matches!(dtype, DataType::Complex64 | DataType::Complex128) {
        let pairs = floats.iter().zip(floats.iter().rev());
        return Some(Values::Complex(
            pairs.map(|(&re, &im)| Complex::new(re, im)).collect(),
        ));
    }
    Some(Values::Float(floats))
}

/// [`odd`] values as a vector.
///
/// # Errors
/// When there is no memory.
pub fn odd_vector(dtype: DataType) -> Result<Option<Tensor>> {
    let vector = |values: Values| values::tensor(dtype, &[values.len() as i64], &values);
    odd(dtype).map(vector).transpose()
}
