//! Literals: how values are written on the command line.
//!
//! ```text
//! literal = [DTYPE [SHAPE] ':'] values       float32:[1, 2]   int64[2,3]: 0   string[0]:
//! values  = scalar | '[' values ',' … ']'    rows of one shape
//! scalar  = 3 | -2.5e3 | inf | nan | 0xff | true | "text\n\xff" | 1+2i
//! ```
//!
//! What [`print`](crate::print) writes is a literal too.

use tfe_eager::DataType;

use crate::dtype;

/// As many dimensions as a tensor may have.
const MOST_DIMS: usize = 254;

/// A literal, read: its numbers are still text, so that each is rounded once, to the type that it gets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Literal<'t> {
    /// The type, where it is said.
    pub(crate) dtype: Option<DataType>,
    /// The shape, where it is said.
    pub(crate) shape: Option<Vec<i64>>,
    /// The shape of the lists.
    pub(crate) dims: Vec<i64>,
    /// The scalars, row-major.
    pub(crate) scalars: Vec<Scalar<'t>>,
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar<'t> {
    /// A number without point or exponent, and its text.
    Int(i128, &'t str),
    /// Another real number.
    Decimal(&'t str),
    /// A complex number, by its parts.
    Complex(&'t str, &'t str),
    Bool(bool),
    Text(Vec<u8>),
}

impl Scalar<'_> {
    /// Which scalars may stand in one list.
    fn kind(&self) -> &'static str {
        match self {
            Scalar::Int(..) | Scalar::Decimal(_) | Scalar::Complex(..) => "numbers",
            Scalar::Bool(_) => "truth values",
            Scalar::Text(_) => "strings",
        }
    }
}

/// Reads a literal.
pub(crate) fn parse(text: &str) -> Result<Literal<'_>, String> {
    let mut reader = Reader { text, at: 0 };
    reader.literal().map_err(|what| {
        let column = text[..reader.at].chars().count() + 1;
        format!("'{text}' is no value: column {column}: {what}")
    })
}

/// Reads a string in quotes, as an attribute may be given.
pub(crate) fn parse_string(text: &str) -> Result<Vec<u8>, String> {
    match parse(text)?.scalars.pop() {
        Some(Scalar::Text(bytes)) => Ok(bytes),
        _ => Err(format!("'{text}' is no string in quotes")),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Takes `c`, and blanks before and after it, if it comes next.
    fn take(&mut self, c: char) -> bool {
        self.blanks();
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
            self.blanks();
        }
        found
    }

    /// Takes characters as long as they fit.
    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !fits(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    fn wanted(&self, what: &str) -> String {
        match self.peek() {
            Some(c) => format!("{what} is wanted instead of '{c}'"),
            None => format!("{what} is wanted"),
        }
    }

    fn literal(&mut self) -> Result<Literal<'t>, String> {
        self.blanks();
        let dtype = self.dtype()?;
        let mut shape = None;
        if dtype.is_some() && !self.take(':') {
            shape = Some(self.shape()?);
            if !self.take(':') {
                return Err(self.wanted("':'"));
            }
        }
        let mut scalars = Vec::new();
        let dims = match shape {
            // Nothing need be written where there is nothing.
            Some(_) if self.rest().is_empty() => vec![0],
            _ => self.values(&mut scalars, 0)?,
        };
        self.blanks();
        if !self.rest().is_empty() {
            return Err(self.wanted("the end"));
        }
        Ok(Literal {
            dtype,
            shape,
            dims,
            scalars,
        })
    }

    /// A data type, if what comes next is one and not a value: a word that a `:` or a `[` follows.
    fn dtype(&mut self) -> Result<Option<DataType>, String> {
        let start = self.at;
        let word = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        if word.starts_with(|c: char| c.is_ascii_alphabetic())
            && self.rest().starts_with([':', '['])
        {
            return dtype::parse(word)
                .map(Some)
                .inspect_err(|_| self.at = start);
        }
        self.at = start;
        Ok(None)
    }

    fn shape(&mut self) -> Result<Vec<i64>, String> {
        if !self.take('[') {
            return Err(self.wanted("':' or a shape"));
        }
        let mut dims = Vec::new();
        while !self.take(']') {
            if !dims.is_empty() && !self.take(',') {
                return Err(self.wanted("',' or ']'"));
            }
            let start = self.at;
            let digits = self.take_while(|c| c.is_ascii_digit());
            dims.push(digits.parse().map_err(|_| {
                self.at = start;
                self.wanted("a dimension")
            })?);
        }
        Ok(dims)
    }

    /// A scalar or a list; returns its shape.
    fn values(&mut self, scalars: &mut Vec<Scalar<'t>>, depth: usize) -> Result<Vec<i64>, String> {
        let start = self.at;
        if !self.take('[') {
            let scalar = self.scalar()?;
            if let Some(first) = scalars.first()
                && first.kind() != scalar.kind()
            {
                self.at = start;
                return Err(format!("{} among {}", scalar.kind(), first.kind()));
            }
            scalars.push(scalar);
            return Ok(Vec::new());
        }
        if depth == MOST_DIMS {
            return Err(format!("there are more than {MOST_DIMS} dimensions"));
        }
        let (mut rows, mut shape) = (0, Vec::new());
        while !self.take(']') {
            if rows > 0 && !self.take(',') {
                return Err(self.wanted("',' or ']'"));
            }
            let start = self.at;
            let row = self.values(scalars, depth + 1)?;
            if rows > 0 && row != shape {
                self.at = start;
                return Err(format!(
                    "a row of shape {row:?} among rows of shape {shape:?}"
                ));
            }
            shape = row;
            rows += 1;
        }
        shape.insert(0, rows);
        Ok(shape)
    }

    fn scalar(&mut self) -> Result<Scalar<'t>, String> {
        let start = self.at;
        if self.peek() == Some('"') {
            return self.string().map(Scalar::Text);
        }
        for (word, value) in [("true", true), ("false", false)] {
            if let Some(rest) = self.rest().strip_prefix(word) {
                self.at = self.text.len() - rest.len();
                return Ok(Scalar::Bool(value));
            }
        }
        let first = self.number()?;
        if self.imaginary_unit() {
            return Ok(Scalar::Complex("0", first));
        }
        if self.rest().starts_with(['+', '-']) {
            let second = self.number()?;
            if !self.imaginary_unit() {
                return Err(self.wanted("'i'"));
            }
            return Ok(Scalar::Complex(first, second));
        }
        let int = match first.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16).map_err(|_| ()),
            None if first
                .bytes()
                .all(|b| b.is_ascii_digit() || b"+-".contains(&b)) =>
            {
                first.parse().map_err(|_| ())
            }
            None => return Ok(Scalar::Decimal(first)),
        };
        int.map(|int| Scalar::Int(int, first)).map_err(|()| {
            self.at = start;
            format!("{first} is out of the range of every integer type")
        })
    }

    fn imaginary_unit(&mut self) -> bool {
        let found = self.rest().starts_with(['i', 'j']);
        self.at += usize::from(found);
        found
    }

    /// The text of a real number, as Rust reads it.
    fn number(&mut self) -> Result<&'t str, String> {
        let start = self.at;
        if let Some(rest) = self.rest().strip_prefix("0x") {
            self.at = self.text.len() - rest.len();
            if !self.take_while(|c| c.is_ascii_hexdigit()).is_empty() {
                return Ok(&self.text[start..self.at]);
            }
        }
        self.at = start + usize::from(self.rest().starts_with(['+', '-']));
        let word = self.rest().get(..3).unwrap_or_default();
        if ["inf", "nan"].iter().any(|w| w.eq_ignore_ascii_case(word)) {
            self.at += 3;
            return Ok(&self.text[start..self.at]);
        }
        let digits = |reader: &mut Self| reader.take_while(|c| c.is_ascii_digit()).len();
        let mut count = digits(self);
        if self.rest().starts_with('.') {
            self.at += 1;
            count += digits(self);
        }
        if count == 0 {
            self.at = start;
            return Err(self.wanted("a number, a string in quotes, true, false or a list"));
        }
        if self.rest().starts_with(['e', 'E']) {
            self.at += 1;
            self.at += usize::from(self.rest().starts_with(['+', '-']));
            if digits(self) == 0 {
                return Err(self.wanted("an exponent"));
            }
        }
        Ok(&self.text[start..self.at])
    }

    fn string(&mut self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let mut chars = self.rest().char_indices().skip(1);
        loop {
            let (at, c) = chars.next().ok_or("the string has no end")?;
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(bytes);
                }
                '\\' => {
                    let escape = chars.next().map(|(_, c)| c);
                    let byte = match escape {
                        Some('n') => b'\n',
                        Some('r') => b'\r',
                        Some('t') => b'\t',
                        Some('0') => 0,
                        Some(c @ ('"' | '\\')) => c as u8,
                        Some('x') => {
                            let digit = |c: Option<(usize, char)>| c?.1.to_digit(16);
                            let (high, low) = (digit(chars.next()), digit(chars.next()));
                            let (Some(high), Some(low)) = (high, low) else {
                                self.at += at;
                                return Err("\\x wants two hexadecimal digits".to_owned());
                            };
                            (high << 4 | low) as u8
                        }
                        _ => {
                            self.at += at;
                            return Err(
                                "there are the escapes \\n \\r \\t \\0 \\\" \\\\ \\xHH".to_owned()
                            );
                        }
                    };
                    bytes.push(byte);
                }
                c => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }
}

#[cfg(test)]
mod tests;
