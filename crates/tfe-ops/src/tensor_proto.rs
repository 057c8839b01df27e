//! Tensors from and to their protocol buffer message, in all of its encodings.

use tfe_core::{
    DataType, Element, PartialShape, Plain, ResourceHandle, Result, Shape, TString, Tensor,
    Variant, bail, bf16, ensure, err, f16,
};
use tfe_proto::tensorflow as pb;

use crate::proto::full_shape_to_proto;

/// How many bytes a proto may ask for beyond those it holds: as many as a message may have at most. A short message must
/// not exhaust memory.
const REPEATED_BYTES: usize = 1 << 31;

/// What is left of [`REPEATED_BYTES`] while one message is read, all tensors in it together.
pub(crate) struct Budget(usize);

impl Budget {
    pub(crate) fn new() -> Self {
        Self(REPEATED_BYTES)
    }

    /// Pays for a tensor of which `given` elements are in the message.
    fn pay(&mut self, dtype: DataType, shape: &Shape, given: usize) -> Result<()> {
        let extra = shape.num_elements().saturating_sub(given);
        let left = extra
            .checked_mul(dtype.size())
            .and_then(|bytes| self.0.checked_sub(bytes));
        self.0 = left.ok_or_else(|| {
            err!(
                InvalidArgument,
                "a tensor proto of shape {shape} and type {dtype} holds {given} values and would grow too large"
            )
        })?;
        Ok(())
    }
}

/// Reads a tensor.
///
/// The data is either raw in `tensor_content` or in the list of its type. As in TensorFlow a list may be short: its
/// last value repeats (none at all: zeros), and what is too much is ignored.
///
/// # Errors
/// `InvalidArgument` for an unknown type, an impossible shape, content of the wrong size, or a short list that would grow
/// by more than 2 GiB; `ResourceExhausted` when memory is short; `Unimplemented` for resources and variants that are not null.
///
/// ```
/// use tfe_ops::tensor_from_proto;
/// use tfe_proto::tensorflow::{TensorProto, TensorShapeProto, tensor_shape_proto::Dim};
///
/// let proto = TensorProto {
///     dtype: 1,
///     tensor_shape: Some(TensorShapeProto {
///         dim: vec![Dim { size: 4, name: String::new() }],
///         unknown_rank: false,
///     }),
///     float_val: vec![1.0, 2.0],
///     ..TensorProto::default()
/// };
/// assert_eq!(tensor_from_proto(&proto)?.as_slice::<f32>()?, [1.0, 2.0, 2.0, 2.0]);
/// # Ok::<(), tfe_core::Error>(())
/// ```
pub fn tensor_from_proto(proto: &pb::TensorProto) -> Result<Tensor> {
    read(proto, &mut Budget::new())
}

pub(crate) fn read(proto: &pb::TensorProto, budget: &mut Budget) -> Result<Tensor> {
    use DataType as D;
    let Some(dtype) = DataType::from_number(proto.dtype) else {
        bail!(
            InvalidArgument,
            "TensorProto has invalid DataType enum: {}",
            proto.dtype
        );
    };
    let shape = match &proto.tensor_shape {
        // A tensor has a shape, whatever the message says of an unknown rank: as in TensorFlow that is passed over.
        Some(shape) => {
            let dims: Vec<i64> = shape.dim.iter().map(|d| d.size).collect();
            PartialShape::of(&dims).to_shape()?
        }
        None => Shape::scalar(),
    };
    if !proto.tensor_content.is_empty() {
        return match dtype {
            D::String => strings_from_content(shape, &proto.tensor_content),
            D::Resource | D::Variant => Err(no_values(dtype)),
            _ => plain_from_content(dtype, shape, &proto.tensor_content),
        };
    }
    let p = proto;
    match dtype {
        D::Float => copy(&p.float_val, shape, budget),
        D::Double => copy(&p.double_val, shape, budget),
        D::Int64 => copy(&p.int64_val, shape, budget),
        D::Uint64 => copy(&p.uint64_val, shape, budget),
        D::Uint32 => copy(&p.uint32_val, shape, budget),
        D::Bool => copy(&p.bool_val, shape, budget),
        D::Int32 => copy(&p.int_val, shape, budget),
        D::Int16 => spread(&p.int_val, shape, budget, |v| v as i16),
        D::Int8 => spread(&p.int_val, shape, budget, |v| v as i8),
        D::Uint16 => spread(&p.int_val, shape, budget, |v| v as u16),
        D::Uint8 => spread(&p.int_val, shape, budget, |v| v as u8),
        D::Half => spread(&p.half_val, shape, budget, |v| f16::from_bits(v as u16)),
        D::Bfloat16 => spread(&p.half_val, shape, budget, |v| bf16::from_bits(v as u16)),
        D::Complex64 => complex(&p.scomplex_val, shape, budget),
        D::Complex128 => complex(&p.dcomplex_val, shape, budget),
        D::String => spread(&p.string_val, shape, budget, |v: Vec<u8>| {
            TString::from(v.as_slice())
        }),
        D::Resource if p.resource_handle_val.is_empty() => {
            spread::<u8, _>(&[], shape, budget, |_| ResourceHandle::default())
        }
        D::Variant if p.variant_val.is_empty() => {
            spread::<u8, _>(&[], shape, budget, |_| Variant::default())
        }
        D::Resource | D::Variant => Err(no_values(dtype)),
        // Types without a Rust type of their own: their bytes.
        D::Qint32 => bytes(&p.int_val, dtype, shape, budget, i32::to_le_bytes),
        D::Qint16 | D::Quint16 => bytes(&p.int_val, dtype, shape, budget, |v| {
            (v as u16).to_le_bytes()
        }),
        D::Qint8 | D::Quint8 => bytes(&p.int_val, dtype, shape, budget, |v| [v as u8]),
        // One element a byte, extended by its sign where it has one.
        D::Int4 => bytes(
            &p.int_val,
            dtype,
            shape,
            budget,
            |v| [(v << 28 >> 28) as u8],
        ),
        D::Int2 => bytes(
            &p.int_val,
            dtype,
            shape,
            budget,
            |v| [(v << 30 >> 30) as u8],
        ),
        D::Uint4 => bytes(&p.int_val, dtype, shape, budget, |v| [v as u8 & 15]),
        D::Uint2 => bytes(&p.int_val, dtype, shape, budget, |v| [v as u8 & 3]),
        D::Float8E5m2
        | D::Float8E4m3fn
        | D::Float8E4m3fnuz
        | D::Float8E4m3b11fnuz
        | D::Float8E5m2fnuz
        | D::Float4E2m1fn => bytes(&p.float8_val, dtype, shape, budget, |v| [v]),
    }
}

fn no_values(dtype: DataType) -> tfe_core::Error {
    err!(
        Unimplemented,
        "elements of type {dtype} cannot be made from a proto"
    )
}

fn copy<T: Plain>(values: &[T], shape: Shape, budget: &mut Budget) -> Result<Tensor> {
    spread(values, shape, budget, |v| v)
}

/// The tensor of the first values, the last one repeated, or of the default when there is none.
fn spread<V: Clone, T: Element>(
    values: &[V],
    shape: Shape,
    budget: &mut Budget,
    convert: impl Fn(V) -> T,
) -> Result<Tensor> {
    budget.pay(T::DTYPE, &shape, values.len())?;
    let last = values.last().cloned().map_or_else(T::default, &convert);
    let values = values.iter().cloned().map(convert);
    Tensor::uninit(T::DTYPE, shape)?.fill_from(values.chain(std::iter::repeat(last)))
}

fn complex<F: Copy + Default>(parts: &[F], shape: Shape, budget: &mut Budget) -> Result<Tensor>
where
    tfe_core::Complex<F>: Element,
{
    let (pairs, _) = parts.as_chunks::<2>();
    spread(pairs, shape, budget, |[re, im]| tfe_core::Complex {
        re,
        im,
    })
}

/// As [`spread`], for elements of `N` bytes that have no Rust type.
fn bytes<V: Copy, const N: usize>(
    values: &[V],
    dtype: DataType,
    shape: Shape,
    budget: &mut Budget,
    convert: impl Fn(V) -> [u8; N],
) -> Result<Tensor> {
    budget.pay(dtype, &shape, values.len())?;
    let count = shape.num_elements();
    let last = values.last().map_or([0; N], |&v| convert(v));
    let mut bytes = Vec::with_capacity(count * N);
    for &value in values.iter().take(count) {
        bytes.extend_from_slice(&convert(value));
    }
    while bytes.len() < count * N {
        bytes.extend_from_slice(&last);
    }
    Tensor::from_plain_bytes(dtype, shape, &bytes)
}

fn plain_from_content(dtype: DataType, shape: Shape, content: &[u8]) -> Result<Tensor> {
    ensure!(
        shape.num_elements().checked_mul(dtype.size()) == Some(content.len()),
        InvalidArgument,
        "a tensor proto of shape {shape} and type {dtype} has {} bytes of content",
        content.len()
    );
    if dtype == DataType::Bool {
        // Rust allows no other bytes; TensorFlow takes them for true.
        return Tensor::uninit(dtype, shape)?.fill_from(content.iter().map(|&b| b != 0));
    }
    Tensor::from_plain_bytes(dtype, shape, content)
}

/// Strings in raw content: all lengths as varints, then all bytes.
fn strings_from_content(shape: Shape, content: &[u8]) -> Result<Tensor> {
    let malformed = || {
        err!(
            InvalidArgument,
            "a string tensor proto has malformed content"
        )
    };
    // Every string takes a byte at least, for its length.
    ensure!(
        shape.num_elements() <= content.len(),
        InvalidArgument,
        "a string tensor proto of shape {shape} has {} bytes of content",
        content.len()
    );
    let mut rest = content;
    let mut lengths = Vec::with_capacity(shape.num_elements());
    for _ in 0..shape.num_elements() {
        let length = prost::decode_length_delimiter(&mut rest).map_err(|_| malformed())?;
        lengths.push(length);
    }
    let mut strings = Vec::with_capacity(lengths.len());
    for length in lengths {
        let (string, tail) = rest.split_at_checked(length).ok_or_else(malformed)?;
        strings.push(TString::from(string));
        rest = tail;
    }
    if !rest.is_empty() {
        return Err(malformed());
    }
    Tensor::uninit(DataType::String, shape)?.fill_from(strings)
}

/// Whether [`tensor_to_proto`] can write the tensor: host memory, and no handle or variant that is not null.
pub(crate) fn is_writable(tensor: &Tensor) -> bool {
    let null_resources = || {
        let handles = tensor.as_slice::<ResourceHandle>();
        handles.is_ok_and(|h| h.iter().all(|h| h.target().is_none()))
    };
    let null_variants = || {
        let variants = tensor.as_slice::<Variant>();
        variants.is_ok_and(|v| v.iter().all(|v| v.value().is_none()))
    };
    match tensor.dtype() {
        DataType::Resource => null_resources(),
        DataType::Variant => null_variants(),
        _ => tensor.is_host(),
    }
}

/// Writes a tensor: as TensorFlow does, raw when there are several elements, else in the list of its type.
///
/// # Errors
/// `Unimplemented` for resources and variants that are not null, `Internal` for device memory.
pub fn tensor_to_proto(tensor: &Tensor) -> Result<pb::TensorProto> {
    use DataType as D;
    let dtype = tensor.dtype();
    let mut p = pb::TensorProto {
        dtype: dtype.number(),
        tensor_shape: Some(full_shape_to_proto(tensor.shape())),
        ..pb::TensorProto::default()
    };
    match dtype {
        D::Resource | D::Variant => {
            ensure!(
                is_writable(tensor),
                Unimplemented,
                "elements of type {dtype} cannot be written to a proto"
            );
            return Ok(p);
        }
        D::String => {
            let strings = tensor.as_slice::<TString>()?;
            p.string_val = strings.iter().map(|s| s.as_bytes().to_vec()).collect();
            return Ok(p);
        }
        _ => {}
    }
    let bytes = tensor.as_bytes()?;
    if tensor.num_elements() != 1 {
        p.tensor_content = bytes.to_vec();
        return Ok(p);
    }
    match dtype {
        D::Float => p.float_val.push(f32::from_le_bytes(element(bytes)?)),
        D::Double => p.double_val.push(f64::from_le_bytes(element(bytes)?)),
        D::Int64 => p.int64_val.push(i64::from_le_bytes(element(bytes)?)),
        D::Uint64 => p.uint64_val.push(u64::from_le_bytes(element(bytes)?)),
        D::Uint32 => p.uint32_val.push(u32::from_le_bytes(element(bytes)?)),
        D::Bool => p.bool_val.push(bytes != [0]),
        D::Int32 | D::Qint32 => p.int_val.push(i32::from_le_bytes(element(bytes)?)),
        D::Int16 | D::Qint16 => p.int_val.push(i16::from_le_bytes(element(bytes)?).into()),
        D::Uint16 | D::Quint16 => p.int_val.push(u16::from_le_bytes(element(bytes)?).into()),
        D::Int8 | D::Qint8 | D::Int4 | D::Int2 => {
            p.int_val.push(i8::from_le_bytes(element(bytes)?).into());
        }
        D::Uint8 | D::Quint8 | D::Uint4 | D::Uint2 => p.int_val.push(bytes[0].into()),
        D::Half | D::Bfloat16 => p.half_val.push(u16::from_le_bytes(element(bytes)?).into()),
        D::Complex64 => {
            let (parts, _) = bytes.as_chunks::<4>();
            p.scomplex_val = parts.iter().map(|&b| f32::from_le_bytes(b)).collect();
        }
        D::Complex128 => {
            let (parts, _) = bytes.as_chunks::<8>();
            p.dcomplex_val = parts.iter().map(|&b| f64::from_le_bytes(b)).collect();
        }
        _ => p.float8_val = bytes.to_vec(),
    }
    Ok(p)
}

fn element<const N: usize>(bytes: &[u8]) -> Result<[u8; N]> {
    bytes.try_into().map_err(|_| {
        err!(
            Internal,
            "an element of {} bytes instead of {N}",
            bytes.len()
        )
    })
}

#[cfg(test)]
mod tests;
