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
mod tests {
    use super::*;

    fn file(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header = format!(
            "{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}     \n"
        );
        let mut file = [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes()].concat();
        file.extend_from_slice(header.as_bytes());
        file.extend_from_slice(data);
        file
    }

    #[track_caller]
    fn check(file: &[u8], wanted: &str) {
        let t = read(file).expect("a tensor");
        assert_eq!(format!("{t:?}"), wanted);
    }

    #[test]
    fn elements_of_each_order_are_read() {
        let halves = [0x3c00u16, 0xc000];
        let bytes: Vec<u8> = halves.iter().flat_map(|h| h.to_le_bytes()).collect();
        check(
            &file("<f2", "False", "(2,)", &bytes),
            "Tensor(half[2] [1.0, -2.0])",
        );
        let bytes: Vec<u8> = halves.iter().flat_map(|h| h.to_be_bytes()).collect();
        check(
            &file(">f2", "False", "(1, 2)", &bytes),
            "Tensor(half[1,2] [1.0, -2.0])",
        );
        let bytes = [1.5f32.to_be_bytes(), (-1.0f32).to_be_bytes()].concat();
        check(
            &file(">c8", "False", "()", &bytes),
            "Tensor(complex64[] [Complex { re: 1.5, im: -1.0 }])",
        );
        // By columns: 1 3 5, then 2 4 6.
        check(
            &file("|u1", "True", "(3L, 2L)", &[1, 3, 5, 2, 4, 6]),
            "Tensor(uint8[3,2] [1, 2, 3, 4, 5, 6])",
        );
        check(&file("|b1", "False", "(0, 3)", &[]), "Tensor(bool[0,3] [])");
    }

    #[test]
    fn strings_are_read() {
        check(
            &file("|S3", "False", "(2,)", b"ab\0\xff\0c"),
            "Tensor(string[2] [\"ab\", \"\\xff\\x00c\"])",
        );
        let text: Vec<u8> = "é\0b\0"
            .chars()
            .flat_map(|c| u32::from(c).to_le_bytes())
            .collect();
        let t = read(&file("<U2", "False", "(2,)", &text)).expect("strings");
        let strings = t.as_slice::<TString>().expect("strings");
        assert_eq!(strings[0].as_bytes(), "é".as_bytes());
        assert_eq!(strings[1].as_bytes(), b"b");
    }

    #[test]
    fn what_is_no_tensor_is_refused() {
        let good = file("<i4", "False", "(1,)", &[1, 0, 0, 0]);
        assert!(read(&good).is_ok());
        for end in 0..good.len() {
            assert!(read(&good[..end]).is_err(), "{end}");
        }
        for file in [
            file("|O", "False", "(1,)", &[]),
            file("<f16", "False", "(1,)", &[0; 16]),
            file("<M8[ns]", "False", "(1,)", &[0; 8]),
            file("<i4", "Maybe", "(1,)", &[0; 4]),
            file("<i4", "False", "(-1,)", &[0; 4]),
            file("<i4", "False", "(99999999999999, 99999999999999)", &[]),
            file("|b1", "False", "(1,)", &[2]),
            file("<U1", "False", "(1,)", &[0, 0xd8, 0, 0]),
            file("é", "False", "(1,)", &[0, 0xd8, 0, 0]),
        ] {
            assert!(read(&file).is_err());
        }
    }
}
