//! Short texts of tensors, for messages and `StringFormat`.

use std::io::Write;

use tfe_core::{
    DTypeSet, DataType, Element, ResourceHandle, Result, TString, Tensor, bf16, dispatch, f16,
};
use tfe_device::Device;

use crate::{narrow, printf};

/// How many elements are shown, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// So many of all, one after the other: `[[1 2][3...]...]`.
    First(usize),
    /// So many at both ends of each dimension, a line for each row, strings in quotes: `[[1 2 ... 8 9]\n [...`.
    Ends(usize),
}

/// The elements of a tensor as text, as TensorFlow summarises them.
///
/// # Errors
/// `ResourceExhausted`; `Internal` for device memory.
pub fn summary(device: &dyn Device, tensor: &Tensor, style: Style) -> Result<Vec<u8>> {
    // Types that no machine computes in, as those that one does.
    let tensor = &match tensor.dtype() {
        DataType::Qint32 => tensor.clone(),
        dtype => narrow::decode(device, tensor, narrow::source(dtype))?,
    };
    let element: Option<Box<ElementText<'_>>> = match tensor.dtype() {
        DataType::Bool => Some(elements(tensor, |&x: &bool| u8::from(x).to_string())?),
        DataType::Float => Some(elements(tensor, |&x: &f32| {
            printf::round_trip(x.into(), true)
        })?),
        DataType::Double => Some(elements(tensor, |&x: &f64| printf::round_trip(x, false))?),
        DataType::Half => Some(elements(tensor, |x: &f16| {
            printf::round_trip(x.to_f64(), true)
        })?),
        DataType::Bfloat16 => Some(elements(tensor, |x: &bf16| {
            printf::round_trip(x.to_f64(), true)
        })?),
        DataType::Resource => Some(elements(tensor, |x: &ResourceHandle| format!("<{x:?}>"))?),
        DataType::String => Some(elements(tensor, move |x: &TString| match style {
            Style::First(_) => escaped(x.as_bytes()),
            Style::Ends(_) => [b"\"", &*escaped(x.as_bytes()), b"\""].concat(),
        })?),
        dtype if DTypeSet::INT.contains(dtype) => {
            Some(dispatch!(dtype, Int, |T| elements(tensor, T::to_string))?)
        }
        _ => None,
    };
    let is_known = element.is_some();
    let mut writer = Writer {
        element: &*element.unwrap_or_else(|| Box::new(|_| b"?".to_vec())),
        dims: tensor.dims(),
        shown: 0,
        text: Vec::new(),
    };
    let n = tensor.num_elements();
    match style {
        Style::First(limit) => {
            writer.text.push(b'[');
            writer.first(0, limit.min(n));
            writer.push(if limit < n { "...]" } else { "]" });
        }
        // As TensorFlow has it: no truth value at all is nothing, and what it has no text for stands without rows.
        Style::Ends(ends) if tensor.dtype() == DataType::Bool && ends.min(n) == 0 => {}
        Style::Ends(0) if tensor.rank() == 0 => writer.push("..."),
        Style::Ends(ends) if !is_known && tensor.rank() > 0 => {
            let shown = vec!["?"; ends.min(n)].join(" ");
            writer.push(&format!("[{shown}{}]", if ends < n { "..." } else { "" }));
        }
        Style::Ends(ends) => writer.ends(0, 0, ends.min(n)),
    }
    Ok(writer.text)
}

/// The text of an element by its place.
type ElementText<'a> = dyn Fn(usize) -> Vec<u8> + 'a;

fn elements<'a, T: Element, S: Into<Vec<u8>>>(
    tensor: &'a Tensor,
    text: impl Fn(&T) -> S + 'a,
) -> Result<Box<ElementText<'a>>> {
    let values = tensor.as_slice::<T>()?;
    Ok(Box::new(move |i| text(&values[i]).into()))
}

struct Writer<'a> {
    element: &'a ElementText<'a>,
    dims: &'a [i64],
    /// Elements written so far, in the first style.
    shown: usize,
    text: Vec<u8>,
}

impl Writer<'_> {
    fn push(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    fn push_element(&mut self, i: usize) {
        let text = (self.element)(i);
        self.text.extend(text);
    }

    /// The elements below dimension `d`, until there are `limit` in all.
    fn first(&mut self, d: usize, limit: usize) {
        let len = self.dims.get(d).map_or(1, |&len| len as usize);
        for i in 0..len {
            let is_open = self.shown < limit;
            if d + 1 < self.dims.len() {
                if !is_open {
                    return;
                }
                self.text.push(b'[');
                self.first(d + 1, limit);
                self.text.push(b']');
            } else if is_open {
                if i > 0 {
                    self.text.push(b' ');
                }
                self.push_element(self.shown);
                self.shown += 1;
            } else {
                if d > 0 {
                    self.push("...");
                }
                return;
            }
        }
    }

    /// The elements below dimension `d`, of which the first is element `start`.
    fn ends(&mut self, d: usize, start: usize, ends: usize) {
        let Some(&len) = self.dims.get(d) else {
            return self.push_element(start);
        };
        let len = len as usize;
        let step: i64 = self.dims[d + 1..].iter().product();
        self.text.push(b'[');
        for i in 0..len.min(ends) {
            if i > 0 {
                self.space(d);
            }
            self.ends(d + 1, start + i * step as usize, ends);
        }
        if len > ends.saturating_mul(2) {
            self.space(d);
            self.push("...");
        }
        for i in len.saturating_sub(ends).max(ends)..len {
            self.space(d);
            self.ends(d + 1, start + i * step as usize, ends);
        }
        self.text.push(b']');
    }

    /// What stands between two entries of dimension `d`.
    fn space(&mut self, d: usize) {
        let deeper = self.dims.len() - 1 - d;
        let blanks = if deeper == 0 { 1 } else { d + 1 };
        self.push(&"\n".repeat(deeper));
        self.push(&" ".repeat(blanks));
    }
}

/// Bytes with those escaped that have no place in a line of text; what is no UTF-8 stays as it is.
fn escaped(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'\n' => text.extend(b"\\n"),
            b'\r' => text.extend(b"\\r"),
            b'\t' => text.extend(b"\\t"),
            b'"' | b'\'' | b'\\' => text.extend([b'\\', byte]),
            0..=0x1f | 0x7f => {
                // Writing to memory cannot fail.
                let _ = write!(text, "\\{byte:03o}");
            }
            _ => text.push(byte),
        }
    }
    text
}
