//! Types that no machine computes in: 8-bit floats, 4-bit integers, quantised integers; each as a type that one does.

use tfe_core::{DTypeSet, DataType, Result, Tensor};
use tfe_device::Device;

use crate::{fill, loops, parallel};

/// The 8-bit floats that can be cast.
pub const FLOAT8: DTypeSet = DTypeSet::of(&[DataType::Float8E5m2, DataType::Float8E4m3fn]);

/// The 4-bit integers: one a byte, signed ones with their sign extended.
pub const INT4: DTypeSet = DTypeSet::of(&[DataType::Int4, DataType::Uint4]);

/// The quantised types: integers that somebody else knows the scale of.
pub const QUANTIZED: DTypeSet = DTypeSet::of(&[
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint16,
    DataType::Quint16,
    DataType::Qint32,
]);

/// Rough time for an element, for cutting work into pieces.
const ELEMENT_NS: f64 = 2.0;

/// An 8-bit float: sign, exponent, mantissa.
struct Format {
    mantissa: u32,
    bias: i32,
    /// The first code past the finite numbers: infinity, or the only NaN.
    past: u8,
    nan: u8,
}

const E5M2: Format = Format {
    mantissa: 2,
    bias: 15,
    past: 0x7c,
    nan: 0x7e,
};
const E4M3: Format = Format {
    mantissa: 3,
    bias: 7,
    past: 0x7f,
    nan: 0x7f,
};

impl Format {
    fn of(dtype: DataType) -> Option<Self> {
        match dtype {
            DataType::Float8E5m2 => Some(E5M2),
            DataType::Float8E4m3fn => Some(E4M3),
            _ => None,
        }
    }

    fn decode(&self, code: u8) -> f32 {
        let (magnitude, sign) = (code & 0x7f, if code >> 7 == 1 { -1.0 } else { 1.0 });
        if magnitude >= self.past {
            let infinite = magnitude == self.past && self.nan != self.past;
            return sign * if infinite { f32::INFINITY } else { f32::NAN };
        }
        let exponent = i32::from(magnitude >> self.mantissa);
        let fraction = magnitude & ((1 << self.mantissa) - 1);
        let (exponent, significand) = match exponent {
            0 => (1, fraction),
            e => (e, fraction | 1 << self.mantissa),
        };
        sign * f32::from(significand) * 2f32.powi(exponent - self.bias - self.mantissa as i32)
    }

    /// The nearest code, ties to even; what is too large becomes infinity, or NaN where there is none.
    fn encode(&self, x: f64) -> u8 {
        let sign = if x.is_sign_negative() { 0x80 } else { 0 };
        if x.is_nan() {
            return sign | self.nan;
        }
        let least = 1 - self.bias;
        let exponent = ((x.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(least);
        // The distance of codes at this exponent is a power of two, so the division is exact.
        let units = (x.abs() / 2f64.powi(exponent - self.mantissa as i32)).round_ties_even();
        let code = f64::from((exponent - least) << self.mantissa) + units;
        sign | if code < f64::from(self.past) {
            code as u8
        } else {
            self.past
        }
    }
}

/// The type that elements of `dtype` are cast from.
pub fn source(dtype: DataType) -> DataType {
    if FLOAT8.contains(dtype) {
        DataType::Float
    } else {
        stored_as(dtype)
    }
}

/// The type that elements are cast to before they become `dtype`: one that holds all digits which decide the rounding.
pub fn target(dtype: DataType) -> DataType {
    if FLOAT8.contains(dtype) {
        DataType::Double
    } else {
        stored_as(dtype)
    }
}

fn stored_as(dtype: DataType) -> DataType {
    match dtype {
        DataType::Qint8 | DataType::Int4 => DataType::Int8,
        DataType::Quint8 | DataType::Uint4 => DataType::Uint8,
        DataType::Qint16 => DataType::Int16,
        DataType::Quint16 => DataType::Uint16,
        DataType::Qint32 => DataType::Int32,
        other => other,
    }
}

/// A tensor as one of type `source(its type)`.
pub fn decode(device: &dyn Device, tensor: &Tensor, source: DataType) -> Result<Tensor> {
    match Format::of(tensor.dtype()) {
        None if tensor.dtype() == source => Ok(tensor.clone()),
        // Whatever a client left in the upper half of a byte.
        None if tensor.dtype() == DataType::Int4 => {
            map(device, &tensor.bitcast(source)?, source, |x: i8| {
                x << 4 >> 4
            })
        }
        None if tensor.dtype() == DataType::Uint4 => {
            map(device, &tensor.bitcast(source)?, source, |x: u8| x & 15)
        }
        None => tensor.bitcast(source),
        Some(format) => {
            let codes = tensor.bitcast(DataType::Uint8)?;
            let mut table = [0.0; 256];
            for (code, value) in (0..=u8::MAX).zip(&mut table) {
                *value = format.decode(code);
            }
            map(device, &codes, DataType::Float, |code: u8| {
                table[usize::from(code)]
            })
        }
    }
}

/// A tensor of type `target(to)` as one of `to`; `truncate` clears the bits of a mantissa that do not fit first.
pub fn encode(
    device: &dyn Device,
    tensor: &Tensor,
    to: DataType,
    truncate: bool,
) -> Result<Tensor> {
    let done = match (Format::of(to), to) {
        (Some(format), _) => {
            let dropped = if truncate { 52 - format.mantissa } else { 0 };
            let code = |x: f64| format.encode(f64::from_bits(x.to_bits() >> dropped << dropped));
            map(device, tensor, DataType::Uint8, code)?
        }
        (None, DataType::Int4) => map(device, tensor, DataType::Int8, |x: i8| x << 4 >> 4)?,
        (None, DataType::Uint4) => map(device, tensor, DataType::Uint8, |x: u8| x & 15)?,
        _ if tensor.dtype() == to => return Ok(tensor.clone()),
        _ => tensor.clone(),
    };
    done.bitcast(to)
}

fn map<S: tfe_core::Plain, D: tfe_core::Plain>(
    device: &dyn Device,
    tensor: &Tensor,
    dtype: DataType,
    f: impl Fn(S) -> D + Sync,
) -> Result<Tensor> {
    let out = Tensor::uninit_in(device.host_allocator(), dtype, tensor.shape().clone())?;
    let source = tensor.as_slice::<S>()?;
    fill(out, |dst| {
        Ok(parallel::write(
            device,
            dst,
            1,
            ELEMENT_NS,
            &|start, piece| {
                let source = &source[start..start + piece.len()];
                loops::map(piece, source, &f)
            },
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_survives_the_round_trip() {
        for format in [E5M2, E4M3] {
            for code in 0..=u8::MAX {
                let value = format.decode(code);
                if !value.is_nan() {
                    assert_eq!(format.encode(value.into()), code, "{value}");
                }
            }
            assert!(format.decode(format.nan).is_nan());
        }
        assert_eq!(E4M3.decode(0x7e), 448.0);
        assert_eq!(E5M2.decode(0x7b), 57344.0);
    }
}
