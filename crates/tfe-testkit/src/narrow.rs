//! Data types of one byte and less that have no Rust type: 8-bit and 4-bit floats, 4-bit and 2-bit integers.

use tfe_core::DataType;

/// The layout of a small float.
#[derive(Clone, Copy, Debug)]
struct Layout {
    mantissa: u32,
    bias: i32,
    /// Bit pattern of the greatest finite number.
    greatest: u8,
    /// Bit pattern of infinity, if there is one.
    infinity: Option<u8>,
    /// Bit pattern of NaN, if there is one.
    nan: Option<u8>,
    sign: u8,
}

fn layout(dtype: DataType) -> Option<Layout> {
    Some(match dtype {
        DataType::Float8E5m2 => Layout {
            mantissa: 2,
            bias: 15,
            greatest: 0x7b,
            infinity: Some(0x7c),
            nan: Some(0x7e),
            sign: 0x80,
        },
        DataType::Float8E4m3fn => Layout {
            mantissa: 3,
            bias: 7,
            greatest: 0x7e,
            infinity: None,
            nan: Some(0x7f),
            sign: 0x80,
        },
        DataType::Float4E2m1fn => Layout {
            mantissa: 1,
            bias: 1,
            greatest: 0x7,
            infinity: None,
            nan: None,
            sign: 0x8,
        },
        _ => return None,
    })
}

/// The range of a 4-bit or 2-bit integer type.
fn int_range(dtype: DataType) -> Option<(i128, i128)> {
    match dtype {
        DataType::Int4 => Some((-8, 7)),
        DataType::Uint4 => Some((0, 15)),
        DataType::Int2 => Some((-2, 1)),
        DataType::Uint2 => Some((0, 3)),
        _ => None,
    }
}

/// Whether `dtype` is a small float of this file.
pub(crate) fn is_float(dtype: DataType) -> bool {
    layout(dtype).is_some()
}

/// Whether `dtype` is a small integer of this file.
pub(crate) fn is_int(dtype: DataType) -> bool {
    int_range(dtype).is_some()
}

/// The number that a byte stands for.
pub(crate) fn decode_float(dtype: DataType, byte: u8) -> Option<f64> {
    let l = layout(dtype)?;
    let magnitude = byte & (l.sign - 1);
    let sign = if byte & l.sign == 0 { 1.0 } else { -1.0 };
    if l.infinity == Some(magnitude) {
        return Some(sign * f64::INFINITY);
    }
    if magnitude > l.greatest {
        return Some(f64::NAN);
    }
    let exponent = i32::from(magnitude >> l.mantissa);
    let fraction = f64::from(magnitude & ((1 << l.mantissa) - 1)) / f64::from(1 << l.mantissa);
    Some(
        sign * if exponent == 0 {
            fraction * f64::powi(2.0, 1 - l.bias)
        } else {
            (1.0 + fraction) * f64::powi(2.0, exponent - l.bias)
        },
    )
}

/// The byte nearest to a number; of two, the even one. Too great becomes infinity, else NaN, else the greatest number.
pub(crate) fn encode_float(dtype: DataType, value: f64) -> Option<u8> {
    let l = layout(dtype)?;
    let sign = if value.is_sign_negative() { l.sign } else { 0 };
    if value.is_nan() {
        // A type without NaN has TensorFlow's answer: minus zero.
        return Some(l.nan.map_or(l.sign, |nan| nan | sign));
    }
    let overflow = l.infinity.or(l.nan).unwrap_or(l.greatest);
    let magnitude = value.abs();
    let at = |byte: u8| decode_float(dtype, byte).unwrap_or(f64::NAN);
    // What the next number would be if the range went on: past the middle between, the value is out of range.
    let step = at(l.greatest) - at(l.greatest - 1);
    let limit = at(l.greatest) + step / 2.0;
    let odd = l.greatest & 1 == 1;
    if magnitude > limit || (magnitude == limit && odd) {
        let saturates = l.infinity.or(l.nan).is_none();
        return Some(sign | if saturates { l.greatest } else { overflow });
    }
    let mut best = 0;
    for byte in 0..=l.greatest {
        let (d, least) = ((at(byte) - magnitude).abs(), (at(best) - magnitude).abs());
        if d < least || (d == least && byte & 1 == 0) {
            best = byte;
        }
    }
    Some(sign | best)
}

/// The integer that the low bits of a byte stand for; what is above them says nothing.
pub(crate) fn decode_int(dtype: DataType, byte: u8) -> Option<i128> {
    let (least, most) = int_range(dtype)?;
    let value = i128::from(byte) & (most - least);
    Some(if value > most {
        value - (most - least + 1)
    } else {
        value
    })
}

/// The byte of an integer, which wraps around; as in TensorFlow its upper bits are zero.
pub(crate) fn encode_int(dtype: DataType, value: i128) -> Option<u8> {
    let (least, most) = int_range(dtype)?;
    Some((value & (most - least)) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_floats_survive_and_round_to_even() {
        for dtype in [
            DataType::Float8E5m2,
            DataType::Float8E4m3fn,
            DataType::Float4E2m1fn,
        ] {
            for byte in 0..=u8::MAX {
                let Some(l) = layout(dtype).filter(|l| byte <= l.sign | (l.sign - 1)) else {
                    continue;
                };
                let value = decode_float(dtype, byte).expect("small float");
                if !value.is_nan() {
                    assert_eq!(encode_float(dtype, value), Some(byte), "{l:?} {value}");
                }
            }
        }
        let e4m3 = |v| encode_float(DataType::Float8E4m3fn, v);
        assert_eq!(decode_float(DataType::Float8E4m3fn, 0x7e), Some(448.0));
        assert_eq!((e4m3(464.0), e4m3(465.0)), (Some(0x7e), Some(0x7f)));
        assert_eq!(encode_float(DataType::Float8E5m2, 1e9), Some(0x7c));
        assert_eq!(encode_float(DataType::Float4E2m1fn, -100.0), Some(0xf));
        // Between 1 and 1.125 lies 1.0625; 1 is even.
        assert_eq!(e4m3(1.0625), e4m3(1.0));
        assert_eq!(e4m3(1.1875), e4m3(1.25));
    }

    #[test]
    fn small_integers_wrap() {
        for (dtype, least) in [
            (DataType::Int4, -8),
            (DataType::Uint2, 0),
            (DataType::Int2, -2),
        ] {
            for value in -20..20i128 {
                let byte = encode_int(dtype, value).expect("small integer");
                let back = decode_int(dtype, byte).expect("small integer");
                let (_, most) = int_range(dtype).expect("small integer");
                assert!((least..=most).contains(&back) && (value - back) % (most - least + 1) == 0);
            }
        }
        assert_eq!(decode_int(DataType::Int4, 0xfa), Some(-6));
        assert_eq!(decode_int(DataType::Uint4, 0xfa), Some(10));
    }
}
