//! Short texts of tensors, for messages and `StringFormat`.

use std::fmt::Write;

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
pub fn summary(device: &dyn Device, tensor: &Tensor, style: Style) -> Result<String> {
    // Types that no machine computes in, as those that one does.
    let tensor = &match tensor.dtype() {
        DataType::Qint32 => tensor.clone(),
        dtype => narrow::decode(device, tensor, narrow::source(dtype))?,
    };
    let element: Box<ElementText<'_>> = match tensor.dtype() {
        DataType::Bool => elements(tensor, |&x: &bool| u8::from(x).to_string())?,
        DataType::Float => elements(tensor, |&x: &f32| printf::round_trip(x.into(), true))?,
        DataType::Double => elements(tensor, |&x: &f64| printf::round_trip(x, false))?,
        DataType::Half => elements(tensor, |x: &f16| printf::round_trip(x.to_f64(), true))?,
        DataType::Bfloat16 => elements(tensor, |x: &bf16| printf::round_trip(x.to_f64(), true))?,
        DataType::Resource => elements(tensor, |x: &ResourceHandle| format!("<{x:?}>"))?,
        DataType::String => elements(tensor, move |x: &TString| match style {
            Style::First(_) => escaped(x.as_bytes()),
            Style::Ends(_) => format!("\"{}\"", escaped(x.as_bytes())),
        })?,
        dtype if DTypeSet::INT.contains(dtype) => {
            dispatch!(dtype, Int, |T| elements(tensor, T::to_string))?
        }
        _ => Box::new(|_| "?".to_owned()),
    };
    let mut writer = Writer {
        element: &*element,
        dims: tensor.dims(),
        shown: 0,
        text: String::new(),
    };
    let n = tensor.num_elements();
    match style {
        Style::First(limit) => {
            writer.text.push('[');
            writer.first(0, limit.min(n));
            writer.text.push_str(if limit < n { "...]" } else { "]" });
        }
        Style::Ends(0) if tensor.rank() == 0 => writer.text.push_str("..."),
        Style::Ends(ends) => writer.ends(0, 0, ends.min(n)),
    }
    Ok(writer.text)
}

/// The text of an element by its place.
type ElementText<'a> = dyn Fn(usize) -> String + 'a;

fn elements<'a, T: Element>(
    tensor: &'a Tensor,
    text: impl Fn(&T) -> String + 'a,
) -> Result<Box<ElementText<'a>>> {
    let values = tensor.as_slice::<T>()?;
    Ok(Box::new(move |i| text(&values[i])))
}

struct Writer<'a> {
    element: &'a ElementText<'a>,
    dims: &'a [i64],
    /// Elements written so far, in the first style.
    shown: usize,
    text: String,
}

impl Writer<'_> {
    fn push_element(&mut self, i: usize) {
        let text = (self.element)(i);
        self.text.push_str(&text);
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
                self.text.push('[');
                self.first(d + 1, limit);
                self.text.push(']');
            } else if is_open {
                if i > 0 {
                    self.text.push(' ');
                }
                self.push_element(self.shown);
                self.shown += 1;
            } else {
                if d > 0 {
                    self.text.push_str("...");
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
        self.text.push('[');
        for i in 0..len.min(ends) {
            if i > 0 {
                self.space(d);
            }
            self.ends(d + 1, start + i * step as usize, ends);
        }
        if len > ends.saturating_mul(2) {
            self.space(d);
            self.text.push_str("...");
        }
        for i in len.saturating_sub(ends).max(ends)..len {
            self.space(d);
            self.ends(d + 1, start + i * step as usize, ends);
        }
        self.text.push(']');
    }

    /// What stands between two entries of dimension `d`.
    fn space(&mut self, d: usize) {
        let deeper = self.dims.len() - 1 - d;
        let blanks = if deeper == 0 { 1 } else { d + 1 };
        self.text.push_str(&"\n".repeat(deeper));
        self.text.push_str(&" ".repeat(blanks));
    }
}

/// Bytes with those escaped that have no place in a line of text; what is no UTF-8 is replaced.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for c in String::from_utf8_lossy(bytes).chars() {
        match c {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '"' | '\'' | '\\' => text.extend(['\\', c]),
            '\0'..='\x1f' | '\x7f' => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\{:03o}", u32::from(c));
            }
            _ => text.push(c),
        }
    }
    text
}
