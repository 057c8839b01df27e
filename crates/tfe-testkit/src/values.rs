//! Elements of tensors as exact numbers, whatever their data type: what references compute with.

use tfe_core::{
    Complex, Complex64, Complex128, DataType, Element, Result, Shape, TString, Tensor, bail, bf16,
    dispatch, ensure, f16,
};

use crate::narrow;

/// The elements of a tensor, row-major, wide enough to lose nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Integers of every width, and truth values as 0 and 1.
    Int(Vec<i128>),
    /// Floats of every width.
    Float(Vec<f64>),
    /// Complex numbers of both widths.
    Complex(Vec<Complex128>),
    /// Byte strings.
    Text(Vec<Vec<u8>>),
}

impl Values {
    /// The number of elements.
    pub fn len(&self) -> usize {
        match self {
            Values::Int(v) => v.len(),
            Values::Float(v) => v.len(),
            Values::Complex(v) => v.len(),
            Values::Text(v) => v.len(),
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A number type between which and the wide types of [`Values`] elements convert.
trait Number: Element {
    fn values(elements: &[Self]) -> Values;
    fn from_int(value: i128) -> Self;
    fn from_float(value: f64) -> Self;
}

macro_rules! ints {
    ($($t:ty),*) => {$(
        impl Number for $t {
            fn values(elements: &[Self]) -> Values {
                Values::Int(elements.iter().map(|&v| v.into()).collect())
            }
            // Wraps, as integer kernels do.
            fn from_int(value: i128) -> Self {
                value as $t
            }
            fn from_float(value: f64) -> Self {
                value as $t
            }
        }
    )*};
}
ints!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! floats {
    ($($t:ty: $from:expr;)*) => {$(
        impl Number for $t {
            fn values(elements: &[Self]) -> Values {
                Values::Float(elements.iter().map(|&v| f64::from(v)).collect())
            }
            fn from_int(value: i128) -> Self {
                Self::from_float(value as f64)
            }
            fn from_float(value: f64) -> Self {
                $from(value)
            }
        }
    )*};
}
floats! {
    f16: f16::from_f64;
    bf16: bf16::from_f64;
    f32: |v| v as f32;
    f64: |v| v;
}

/// The integer type that a quantised type is stored as.
pub(crate) fn quantised(dtype: DataType) -> Option<DataType> {
    Some(match dtype {
        DataType::Qint8 => DataType::Int8,
        DataType::Quint8 => DataType::Uint8,
        DataType::Qint16 => DataType::Int16,
        DataType::Quint16 => DataType::Uint16,
        DataType::Qint32 => DataType::Int32,
        _ => return None,
    })
}

/// The elements of a tensor in host memory.
///
/// # Errors
/// `Unimplemented` for data types without exact values here (handles, some small floats); `Internal` for device memory.
pub fn values(tensor: &Tensor) -> Result<Values> {
    let wide = |c: &Complex64| Complex::new(f64::from(c.re), f64::from(c.im));
    Ok(match tensor.dtype() {
        DataType::Bool => Values::Int(
            tensor
                .as_slice::<bool>()?
                .iter()
                .map(|&b| b.into())
                .collect(),
        ),
        DataType::String => Values::Text(
            tensor
                .as_slice::<TString>()?
                .iter()
                .map(|s| s.as_bytes().to_vec())
                .collect(),
        ),
        DataType::Complex64 => {
            Values::Complex(tensor.as_slice::<Complex64>()?.iter().map(wide).collect())
        }
        DataType::Complex128 => Values::Complex(tensor.as_slice::<Complex128>()?.to_vec()),
        dtype if quantised(dtype).is_some() => {
            let plain = quantised(dtype).unwrap_or(dtype);
            let shape = tensor.shape().clone();
            return values(&Tensor::from_plain_bytes(plain, shape, tensor.as_bytes()?)?);
        }
        dtype if narrow::is_float(dtype) => {
            let decoded = tensor
                .as_bytes()?
                .iter()
                .map(|&b| narrow::decode_float(dtype, b));
            Values::Float(decoded.flatten().collect())
        }
        dtype if narrow::is_int(dtype) => {
            let decoded = tensor
                .as_bytes()?
                .iter()
                .map(|&b| narrow::decode_int(dtype, b));
            Values::Int(decoded.flatten().collect())
        }
        dtype => return dispatch!(dtype, Real, |T| Ok(T::values(tensor.as_slice::<T>()?))),
    })
}

/// The elements of a tensor of real numbers or truth values as `f64`, rounded where they are wider.
///
/// # Errors
/// As [`values`], and `InvalidArgument` for complex numbers and strings.
pub fn floats(tensor: &Tensor) -> Result<Vec<f64>> {
    match values(tensor)? {
        Values::Int(v) => Ok(v.into_iter().map(|v| v as f64).collect()),
        Values::Float(v) => Ok(v),
        _ => bail!(InvalidArgument, "{} elements are not real", tensor.dtype()),
    }
}

/// The elements of a tensor of integers or truth values.
///
/// # Errors
/// As [`values`], and `InvalidArgument` for other data types.
pub fn ints(tensor: &Tensor) -> Result<Vec<i128>> {
    match values(tensor)? {
        Values::Int(v) => Ok(v),
        _ => bail!(
            InvalidArgument,
            "{} elements are not integers",
            tensor.dtype()
        ),
    }
}

/// A tensor of `dtype` from exact values: floats are rounded to nearest, integers wrap around, and a bool is what is
/// not zero.
///
/// # Errors
/// `InvalidArgument` when the values do not fit the shape or the data type; `Unimplemented` as for [`values`].
pub fn tensor(dtype: DataType, dims: &[i64], values: &Values) -> Result<Tensor> {
    match (dtype, values) {
        (DataType::String, Values::Text(v)) => {
            Tensor::from_iter(dims, v.iter().map(|s| TString::from(&s[..])))
        }
        (DataType::Bool, Values::Int(v)) => Tensor::from_iter(dims, v.iter().map(|&v| v != 0)),
        (DataType::Complex64, Values::Complex(v)) => Tensor::from_iter(
            dims,
            v.iter().map(|c| Complex::new(c.re as f32, c.im as f32)),
        ),
        (DataType::Complex128, Values::Complex(v)) => Tensor::from_slice(dims, v),
        (dtype, Values::Int(_)) if quantised(dtype).is_some() => {
            let plain = self::tensor(quantised(dtype).unwrap_or(dtype), dims, values)?;
            Tensor::from_plain_bytes(dtype, plain.shape().clone(), plain.as_bytes()?)
        }
        (dtype, Values::Int(v)) if narrow::is_int(dtype) => {
            let bytes: Vec<u8> = v
                .iter()
                .filter_map(|&v| narrow::encode_int(dtype, v))
                .collect();
            Tensor::from_plain_bytes(dtype, Shape::new(dims)?, &bytes)
        }
        (dtype, Values::Float(v)) if narrow::is_float(dtype) => {
            let bytes: Vec<u8> = v
                .iter()
                .filter_map(|&v| narrow::encode_float(dtype, v))
                .collect();
            Tensor::from_plain_bytes(dtype, Shape::new(dims)?, &bytes)
        }
        (_, Values::Int(v)) => dispatch!(dtype, Real, |T| Tensor::from_iter(
            dims,
            v.iter().map(|&v| T::from_int(v))
        )),
        (_, Values::Float(v)) => dispatch!(dtype, Real, |T| Tensor::from_iter(
            dims,
            v.iter().map(|&v| T::from_float(v))
        )),
        _ => bail!(InvalidArgument, "these values are no {dtype} elements"),
    }
}

/// A tensor of `dims` whose elements are copied from elements of others: pairs of which tensor and which element.
///
/// Works for every data type, and looks at no element.
///
/// # Errors
/// `InvalidArgument` when the number of elements is not the shape's, or the tensors differ in data type.
pub fn pick(
    from: &[&Tensor],
    dtype: DataType,
    dims: &[i64],
    elements: &[(usize, usize)],
) -> Result<Tensor> {
    fn owning<T: Element>(
        from: &[&Tensor],
        dims: &[i64],
        elements: &[(usize, usize)],
    ) -> Result<Tensor> {
        let sources = from
            .iter()
            .map(|t| t.as_slice::<T>())
            .collect::<Result<Vec<_>>>()?;
        Tensor::from_iter(dims, elements.iter().map(|&(t, i)| sources[t][i].clone()))
    }
    ensure!(
        from.iter().all(|t| t.dtype() == dtype),
        InvalidArgument,
        "elements of several data types"
    );
    if !dtype.is_plain() {
        return dispatch!(dtype, [String, Resource, Variant], |T| owning::<T>(
            from, dims, elements
        ));
    }
    let sources = from
        .iter()
        .map(|t| t.as_bytes())
        .collect::<Result<Vec<_>>>()?;
    let mut bytes = Vec::with_capacity(elements.len() * dtype.size());
    for &(t, i) in elements {
        bytes.extend_from_slice(&sources[t][i * dtype.size()..][..dtype.size()]);
    }
    Tensor::from_plain_bytes(dtype, Shape::new(dims)?, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_the_way_out_and_back() {
        let all = [
            Tensor::vector(&[i64::MIN, -1, i64::MAX]),
            Tensor::vector(&[0, u64::MAX]),
            Tensor::vector(&[1.5f32, f32::MIN_POSITIVE, f32::MAX, f32::NEG_INFINITY]),
            Tensor::vector(&[f16::from_f32(0.1), f16::MAX]),
            Tensor::vector(&[Complex64::new(1.0, -2.0)]),
            Tensor::vector(&[true, false]),
            Tensor::vector(&[TString::from("a\0b")]),
        ];
        for t in all {
            let t = t.expect("valid");
            let back = tensor(t.dtype(), t.dims(), &values(&t).expect("known"));
            let back = back.expect("valid");
            assert_eq!(format!("{t:?}"), format!("{back:?}"));
        }
    }

    #[test]
    fn integers_wrap_and_elements_are_picked() {
        let t = tensor(DataType::Int8, &[2], &Values::Int(vec![128, -129])).expect("valid");
        assert_eq!(t.as_slice::<i8>().expect("int8"), [-128, 127]);
        let picked = pick(&[&t, &t], DataType::Int8, &[3], &[(1, 1), (0, 0), (1, 1)]);
        assert_eq!(
            picked.expect("valid").as_slice::<i8>().expect("int8"),
            [127, -128, 127]
        );
    }
}
