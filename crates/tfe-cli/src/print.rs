//! Tensors as people read them, and as literals: type, shape, and values as NumPy nests them.
//!
//! ```text
//! float32[2,2]:
//! [[1.0, -0.5],
//!  [nan,  2.0]]
//! ```

use std::io::{self, Write};

use tfe_eager::{
    Complex64, Complex128, DataType, Element, ResourceHandle, Result, TString, Tensor, Variant,
    bf16, dispatch, f16,
};

use crate::dtype;

/// Longer tensors are shown by the ends of each dimension, as in NumPy.
const LONG: usize = 1000;
const ENDS: usize = 3;
const LINE: usize = 80;

/// How much of a long tensor is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    Short,
    Full,
}

/// Writes a tensor, after `name = ` where it has one.
pub(crate) fn tensor(
    out: &mut dyn Write,
    name: Option<&str>,
    tensor: &Tensor,
    length: Length,
) -> io::Result<()> {
    let mut head = name.map_or_else(String::new, |name| format!("{name} = "));
    head += dtype::name(tensor.dtype());
    if tensor.rank() > 0 {
        head += &tensor.shape().to_string();
    }
    head.push(':');
    if tensor.num_elements() == 0 {
        return writeln!(out, "{head}");
    }
    let show = match elements(tensor) {
        Ok(show) => show,
        Err(e) => return writeln!(out, "{head} {e}"),
    };
    head.push(if tensor.rank() > 1 { '\n' } else { ' ' });
    out.write_all(head.as_bytes())?;
    let short = length == Length::Short && tensor.num_elements() > LONG;
    let mut page = Page {
        dims: (0..tensor.rank()).map(|i| tensor.shape().dim(i)).collect(),
        show: &*show,
        short,
        // Rows stand below each other; a single one needs no columns.
        width: 0,
    };
    if tensor.rank() > 1 && tensor.dtype() != DataType::String {
        page.width = page.widest(0, 0);
    }
    page.write(out, 0, 0)?;
    writeln!(out)
}

/// How values are set out.
struct Page<'t> {
    dims: Vec<usize>,
    show: &'t dyn Fn(usize) -> String,
    short: bool,
    width: usize,
}

impl Page<'_> {
    /// What is shown of a dimension: positions, and `None` for what is left out.
    fn shown(&self, depth: usize) -> Vec<Option<usize>> {
        let len = self.dims[depth];
        if !self.short || len <= 2 * ENDS {
            return (0..len).map(Some).collect();
        }
        let ends = (0..ENDS).map(Some).chain([None]);
        ends.chain((len - ENDS..len).map(Some)).collect()
    }

    fn widest(&self, depth: usize, at: usize) -> usize {
        if depth == self.dims.len() {
            return (self.show)(at).chars().count();
        }
        let shown = self.shown(depth).into_iter().flatten();
        let widths = shown.map(|i| self.widest(depth + 1, at * self.dims[depth] + i));
        widths.max().unwrap_or(0)
    }

    /// Writes what lies at position `at` of the first `depth` dimensions.
    fn write(&self, out: &mut dyn Write, depth: usize, at: usize) -> io::Result<()> {
        if depth == self.dims.len() {
            return out.write_all((self.show)(at).as_bytes());
        }
        let last = depth + 1 == self.dims.len();
        let indent = " ".repeat(depth + 1);
        let mut column = indent.len();
        out.write_all(b"[")?;
        for (nth, i) in self.shown(depth).into_iter().enumerate() {
            if !last {
                if nth > 0 {
                    let lines = "\n".repeat(self.dims.len() - depth - 1);
                    write!(out, ",{lines}{indent}")?;
                }
                match i {
                    Some(i) => self.write(out, depth + 1, at * self.dims[depth] + i)?,
                    None => out.write_all(b"...")?,
                }
                continue;
            }
            let text = i.map_or_else(
                || "...".to_owned(),
                |i| format!("{:>1$}", (self.show)(at * self.dims[depth] + i), self.width),
            );
            let wide = text.chars().count() + 2;
            if nth > 0 && column + wide > LINE {
                write!(out, ",\n{indent}")?;
                column = indent.len();
            } else if nth > 0 {
                out.write_all(b", ")?;
            }
            column += wide;
            out.write_all(text.as_bytes())?;
        }
        out.write_all(b"]")
    }
}

/// The text of each element, by its position.
pub(crate) type Elements = Box<dyn Fn(usize) -> String>;

/// How the elements of a tensor are written.
pub(crate) fn elements(tensor: &Tensor) -> Result<Elements> {
    let stored = stored(tensor)?;
    let dtype = tensor.dtype();
    if dtype::bits(dtype).is_some() {
        return each(stored, move |v: &u8| dtype::narrow(dtype, *v).to_string());
    }
    if dtype::PATTERNS.contains(dtype) {
        return each(stored, |v: &u8| format!("{v:#04x}"));
    }
    match stored.dtype() {
        DataType::Half => each(stored, |v: &f16| half(*v)),
        DataType::Bfloat16 => each(stored, |v: &bf16| bfloat(*v)),
        DataType::Float => each(stored, |v: &f32| single(*v)),
        DataType::Double => each(stored, |v: &f64| double(*v)),
        DataType::Complex64 => each(stored, |v: &Complex64| {
            complex(&single(v.re), &single(v.im))
        }),
        DataType::Complex128 => each(stored, |v: &Complex128| {
            complex(&double(v.re), &double(v.im))
        }),
        DataType::Bool => each(stored, bool::to_string),
        DataType::String => each(stored, |v: &TString| string(v.as_bytes())),
        DataType::Resource => each(stored, |v: &ResourceHandle| format!("{v:?}")),
        DataType::Variant => each(stored, |v: &Variant| format!("{v:?}")),
        other => dispatch!(other, Int, |T| each(stored, T::to_string)),
    }
}

/// The tensor as one of a type that Rust has.
pub(crate) fn stored(tensor: &Tensor) -> Result<Tensor> {
    match dtype::stored(tensor.dtype()) {
        same if same == tensor.dtype() => Ok(tensor.clone()),
        other => tensor.bitcast(other),
    }
}

pub(crate) fn each<T: Element>(
    tensor: Tensor,
    show: impl Fn(&T) -> String + 'static,
) -> Result<Elements> {
    tensor.as_slice::<T>()?;
    Ok(Box::new(move |i| {
        let values = tensor.as_slice::<T>().unwrap_or_default();
        values.get(i).map_or_else(String::new, &show)
    }))
}

/// The shortest digits that read back the same, and a point or an exponent: what is read back is no integer.
pub(crate) fn single(v: f32) -> String {
    format!("{v:?}").to_lowercase()
}

pub(crate) fn double(v: f64) -> String {
    format!("{v:?}").to_lowercase()
}

fn half(v: f16) -> String {
    shortest(v.to_f64(), |near| f16::from_f64(near) == v)
}

fn bfloat(v: bf16) -> String {
    shortest(v.to_f64(), |near| bf16::from_f64(near) == v)
}

/// As [`double`] of the number with the fewest digits for which `same` holds. Five are enough for 16 bits. Whole numbers
/// that have no more than five keep them all.
fn shortest(v: f64, same: impl Fn(f64) -> bool) -> String {
    if v.fract() == 0.0 && v.abs() < 1e5 {
        return double(v);
    }
    let near = (0..5).find_map(|digits| {
        let near: f64 = format!("{v:.digits$e}").parse().ok()?;
        same(near).then_some(near)
    });
    double(near.unwrap_or(v))
}

fn complex(re: &str, im: &str) -> String {
    let sign = if im.starts_with('-') { "" } else { "+" };
    format!("{re}{sign}{im}i")
}

/// In quotes; text is text, and other bytes are escaped.
pub(crate) fn string(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c if c.is_control() => {
                    let mut buffer = [0; 4];
                    out.extend(c.encode_utf8(&mut buffer).bytes().map(escaped));
                }
                c => out.push(c),
            }
        }
        out.extend(chunk.invalid().iter().copied().map(escaped));
    }
    out.push('"');
    out
}

fn escaped(byte: u8) -> String {
    format!("\\x{byte:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(t: &Tensor, wanted: &str) {
        let mut text = Vec::new();
        tensor(&mut text, None, t, Length::Short).expect("memory");
        assert_eq!(String::from_utf8(text).expect("UTF-8"), wanted);
    }

    fn counted(dims: &[i64]) -> Tensor {
        let n = dims.iter().product::<i64>() as i32;
        Tensor::from_iter(dims, 0..n).expect("a tensor")
    }

    #[test]
    fn tensors_are_nested_and_aligned() {
        check(&Tensor::scalar(7.0f32).expect("memory"), "float32: 7.0\n");
        check(&counted(&[3]), "int32[3]: [0, 1, 2]\n");
        check(&counted(&[0, 3]), "int32[0,3]:\n");
        check(
            &Tensor::from_slice(&[2, 2], &[1.0f32, -0.5, f32::NAN, 1e30]).expect("a tensor"),
            "float32[2,2]:\n[[ 1.0, -0.5],\n [ nan, 1e30]]\n",
        );
        check(
            &counted(&[2, 2, 1]),
            "int32[2,2,1]:\n[[[0],\n  [1]],\n\n [[2],\n  [3]]]\n",
        );
        let text = Tensor::vector(&[TString::from("a\"é\n"), TString::from(&b"\xff\x01"[..])]);
        check(
            &text.expect("memory"),
            "string[2]: [\"a\\\"é\\n\", \"\\xff\\x01\"]\n",
        );
    }

    #[test]
    fn long_tensors_are_shortened() {
        check(
            &counted(&[2000]),
            "int32[2000]: [0, 1, 2, ..., 1997, 1998, 1999]\n",
        );
        check(
            &counted(&[500, 3]),
            "int32[500,3]:\n[[   0,    1,    2],\n [   3,    4,    5],\n [   6,    7,    8],\n ...,\n \
             [1491, 1492, 1493],\n [1494, 1495, 1496],\n [1497, 1498, 1499]]\n",
        );
    }

    #[test]
    fn long_rows_are_broken() {
        let mut text = Vec::new();
        tensor(&mut text, None, &counted(&[100]), Length::Short).expect("memory");
        let text = String::from_utf8(text).expect("UTF-8");
        assert!(text.lines().count() > 3, "{text}");
        assert!(
            text.lines()
                .skip(1)
                .all(|line| line.len() <= LINE && line.starts_with(' '))
        );
    }

    #[test]
    fn numbers_have_as_many_digits_as_they_need() {
        assert_eq!(single(0.1), "0.1");
        assert_eq!(double(0.1), "0.1");
        assert_eq!(half(f16::from_f32(0.1)), "0.1");
        assert_eq!(half(f16::MAX), "65504.0");
        assert_eq!(bfloat(bf16::from_f32(1.23)), "1.23");
        assert_eq!(complex(&single(1.0), &single(-0.0)), "1.0-0.0i");
        assert_eq!(double(f64::NEG_INFINITY), "-inf");
    }
}
