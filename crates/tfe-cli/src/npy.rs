//! NumPy's `.npy` files: a header that is a Python dictionary of three keys, then the elements.

use tfe_eager::{DataType, Shape, TString, Tensor};

const MAGIC: &[u8] = b"\x93NUMPY";

/// The tensor in the bytes of a file.
pub(crate) fn read(file: &[u8]) -> Result<Tensor, String> {
    let rest = file.strip_prefix(MAGIC).ok_or("this is no .npy file")?;
    let (&[major, _minor], rest) = rest.split_first_chunk().ok_or("the header is cut off")?;
    // The length of the header, little-endian, of which version 1 has two bytes.
    let width = if major == 1 { 2 } else { 4 };
    let (len, rest) = rest
        .split_at_checked(width)
        .ok_or("the header is cut off")?;
    let len = len
        .iter()
        .rev()
        .fold(0, |len, &b| len << 8 | usize::from(b));
    let (header, data) = rest.split_at_checked(len).ok_or("the header is cut off")?;
    let text = std::str::from_utf8(header).map_err(|_| "the header is no text")?;
    let header =
        Header::parse(text).ok_or_else(|| format!("the header is not understood: {text}"))?;
    header.tensor(data)
}

/// Whether bytes begin as such a file does.
pub(crate) fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The bytes of a file that holds the tensor.
pub(crate) fn write(tensor: &Tensor) -> Result<Vec<u8>, String> {
    let (descr, data) = match tensor.dtype() {
        DataType::String => strings(tensor)?,
        dtype => {
            let kind = kind(dtype).ok_or_else(|| {
                let name = crate::dtype::name(dtype);
                format!("NumPy has no elements of type {name}")
            })?;
            let data = tensor.as_bytes().map_err(|e| e.message().to_owned())?;
            (kind.to_owned(), data.to_vec())
        }
    };
    let order = match &descr[1..] {
        "1" => '|',
        _ if descr.starts_with('S') => '|',
        _ if cfg!(target_endian = "little") => '<',
        _ => '>',
    };
    let dims = tensor.shape().dims().iter().map(|d| format!("{d},"));
    let dims = dims.collect::<Vec<_>>().join(" ");
    // One dimension keeps its comma.
    let dims = match tensor.rank() {
        0 | 1 => &dims,
        _ => dims.trim_end_matches(','),
    };
    let mut header =
        format!("{{'descr': '{order}{descr}', 'fortran_order': False, 'shape': ({dims}), }}");
    // The elements begin at a multiple of 64 bytes, behind a line break.
    let start = (MAGIC.len() + 4 + header.len() + 1).next_multiple_of(64);
    while MAGIC.len() + 4 + header.len() + 1 < start {
        header.push(' ');
    }
    header.push('\n');
    let len = u16::try_from(header.len()).map_err(|_| "the shape is too long for a header")?;
    Ok([MAGIC, &[1, 0], &len.to_le_bytes(), header.as_bytes(), &data].concat())
}

/// How NumPy names elements of that type, byte order apart.
fn kind(dtype: DataType) -> Option<&'static str> {
    Some(match dtype {
        DataType::Bool => "b1",
        DataType::Int8 => "i1",
        DataType::Int16 => "i2",
        DataType::Int32 => "i4",
        DataType::Int64 => "i8",
        DataType::Uint8 => "u1",
        DataType::Uint16 => "u2",
        DataType::Uint32 => "u4",
        DataType::Uint64 => "u8",
        DataType::Half => "f2",
        DataType::Float => "f4",
        DataType::Double => "f8",
        DataType::Complex64 => "c8",
        DataType::Complex128 => "c16",
        _ => return None,
    })
}

/// Strings as bytes, each filled up with zeros to the length of the longest.
fn strings(tensor: &Tensor) -> Result<(String, Vec<u8>), String> {
    let strings = tensor.as_slice::<TString>();
    let strings = strings.map_err(|e| e.message().to_owned())?;
    let width = strings.iter().map(|s| s.as_bytes().len()).max();
    let width = width.unwrap_or(0).max(1);
    let mut data = Vec::new();
    let len = width.checked_mul(strings.len());
    len.and_then(|len| data.try_reserve_exact(len).ok())
        .ok_or("there is no memory for strings of one length")?;
    for string in strings {
        let bytes = string.as_bytes();
        if bytes.ends_with(&[0]) {
            return Err("a string ends with a zero byte, which NumPy drops".to_owned());
        }
        data.extend_from_slice(bytes);
        data.resize(data.len() + width - bytes.len(), 0);
    }
    Ok((format!("S{width}"), data))
}

/// What a header says.
#[derive(Debug, PartialEq)]
struct Header {
    /// `<f4`: byte order, kind, bytes (of strings: characters).
    descr: String,
    fortran_order: bool,
    shape: Vec<i64>,
}

impl Header {
    /// `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`, the keys in any order.
    fn parse(text: &str) -> Option<Self> {
        let mut rest = text.trim().strip_prefix('{')?.trim_start();
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        while !rest.starts_with('}') {
            let (key, after) = quoted(rest)?;
            let after = after.trim_start().strip_prefix(':')?.trim_start();
            rest = match key {
                "descr" => {
                    let (value, after) = quoted(after)?;
                    descr = Some(value.to_owned());
                    after
                }
                "fortran_order" => {
                    let word = after.split([',', '}', ' ']).next()?;
                    fortran_order = Some(match word {
                        "True" => true,
                        "False" => false,
                        _ => return None,
                    });
                    &after[word.len()..]
                }
                "shape" => {
                    let (dims, after) = after.strip_prefix('(')?.split_once(')')?;
                    // A comma follows the only dimension, and an L a number of Python 2.
                    let dims = dims.split(',').map(|d| d.trim().trim_end_matches('L'));
                    let dims = dims.filter(|d| !d.is_empty()).map(|d| d.parse().ok());
                    shape = Some(dims.collect::<Option<_>>()?);
                    after
                }
                _ => return None,
            };
            rest = rest.trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        Some(Self {
            descr: descr?,
            fortran_order: fortran_order?,
            shape: shape?,
        })
    }

    fn tensor(&self, data: &[u8]) -> Result<Tensor, String> {
        let unknown = || format!("elements of type '{}' are no tensor's", self.descr);
        let mut chars = self.descr.chars();
        let (order, kind) = (chars.next(), chars.next());
        let (Some(order), Some(kind), Ok(size)) = (order, kind, chars.as_str().parse::<usize>())
        else {
            return Err(unknown());
        };
        let dtype = match (kind, size) {
            ('b', 1) => DataType::Bool,
            ('i', 1) => DataType::Int8,
            ('i', 2) => DataType::Int16,
            ('i', 4) => DataType::Int32,
            ('i', 8) => DataType::Int64,
            ('u', 1) => DataType::Uint8,
            ('u', 2) => DataType::Uint16,
            ('u', 4) => DataType::Uint32,
            ('u', 8) => DataType::Uint64,
            ('f', 2) => DataType::Half,
            ('f', 4) => DataType::Float,
            ('f', 8) => DataType::Double,
            ('c', 8) => DataType::Complex64,
            ('c', 16) => DataType::Complex128,
            ('S' | 'U', _) => DataType::String,
            _ => return Err(unknown()),
        };
        // The bytes that change places where the order is another: of a number, a part, a character.
        let (width, word) = match kind {
            'U' => (size.checked_mul(4).ok_or_else(unknown)?, 4),
            'S' => (size, 1),
            'c' => (size, size / 2),
            _ => (size, size),
        };
        let shape = Shape::new(&self.shape).map_err(|e| e.message().to_owned())?;
        let len = shape.num_elements().checked_mul(width);
        let Some(data) = len.and_then(|len| data.get(..len)) else {
            return Err(format!(
                "{} bytes are too few for {} of shape {shape}",
                data.len(),
                crate::dtype::name(dtype)
            ));
        };
        let mut data = data.to_vec();
        let foreign = if cfg!(target_endian = "little") {
            '>'
        } else {
            '<'
        };
        if order == foreign && word > 1 {
            data.chunks_exact_mut(word).for_each(<[u8]>::reverse);
        }
        if self.fortran_order {
            data = row_major(&data, &shape, width);
        }
        let made = if dtype == DataType::String {
            let element = |i| &data[i * width..][..width];
            let n = shape.num_elements();
            let mut strings = Vec::new();
            // Strings of no bytes may be more than the file has.
            strings
                .try_reserve_exact(n)
                .map_err(|_| format!("there is no memory for {n} strings"))?;
            for i in 0..n {
                strings.push(match kind {
                    'S' => TString::from(trimmed(element(i))),
                    _ => TString::from(characters(element(i))?),
                });
            }
            Tensor::from_slice(shape.dims(), &strings)
        } else {
            Tensor::from_plain_bytes(dtype, shape, &data)
        };
        let made = made.map_err(|e| e.message().to_owned())?;
        if dtype == DataType::Bool && made.as_slice::<bool>().is_err() {
            return Err("there are truth values that are neither 0 nor 1".to_owned());
        }
        Ok(made)
    }
}

/// A word in single or double quotes, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(quote)
}

/// The elements, of which the first dimension runs fastest, with the last one running fastest.
fn row_major(data: &[u8], shape: &Shape, width: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    let mut index = vec![0; shape.rank()];
    for _ in 0..shape.num_elements() {
        let at = (0..shape.rank())
            .rev()
            .fold(0, |at, d| at * shape.dim(d) + index[d]);
        out.extend_from_slice(&data[at * width..][..width]);
        for d in (0..shape.rank()).rev() {
            index[d] += 1;
            if index[d] < shape.dim(d) {
                break;
            }
            index[d] = 0;
        }
    }
    out
}

/// Without the zeros that fill an element up.
fn trimmed(bytes: &[u8]) -> &[u8] {
    let end = bytes
        .iter()
        .rposition(|&b| b != 0)
        .map_or(0, |last| last + 1);
    &bytes[..end]
}

fn characters(bytes: &[u8]) -> Result<String, String> {
    let chars = bytes
        .chunks_exact(4)
        .map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]]));
    let chars = chars.map(char::from_u32).collect::<Option<String>>();
    let text = chars.ok_or("there are characters that Unicode does not have")?;
    Ok(text.trim_end_matches('\0').to_owned())
}

#[cfg(test)]
mod tests;
