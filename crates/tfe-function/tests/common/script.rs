//! Calls and their results as text: `Fn{T=float, N=2}(1, [2 3]) = [[1 2] [3 4]], i32 7`, or `… ! CODE: message`.
//!
//! Numbers are floats unless a data type comes before them; strings are quoted.

use std::fmt::Write as _;

use tfe_core::{DataType, Element, Result, TString, Tensor, dispatch};
use tfe_ops::{AttrValue, FuncAttr};

/// A call: the function with its attributes, and its arguments.
pub(crate) struct Call {
    pub(crate) function: FuncAttr,
    pub(crate) args: Vec<Tensor>,
    /// The text up to the result, for writing it again.
    pub(crate) text: String,
}

/// Reads a line of calls; gives the rest of it, which is the expected outcome.
pub(crate) fn parse_call(line: &str) -> (Call, &str) {
    let mut p = Parser { rest: line };
    let mut function = FuncAttr::new(p.word());
    if p.take("{") {
        while !p.take("}") {
            let name = p.word().to_owned();
            assert!(p.take("="), "a value for {name}: {}", p.rest);
            function = function.with(&name, p.attr());
            p.take(",");
        }
    }
    assert!(p.take("("), "arguments: {}", p.rest);
    let mut args = Vec::new();
    while !p.take(")") {
        args.push(p.tensor());
        p.take(",");
    }
    let text = line[..line.len() - p.rest.len()].to_owned();
    let call = Call {
        function,
        args,
        text,
    };
    (call, p.rest.trim())
}

/// What a call came to.
pub(crate) fn outcome(result: &Result<Vec<Tensor>>) -> String {
    match result {
        Ok(results) => {
            let shown: Vec<_> = results.iter().map(show).collect();
            format!("= {}", shown.join(", ")).trim_end().to_owned()
        }
        Err(e) => {
            let message = e.message().replace('\n', "\\n").replace('\t', "\\t");
            format!("! {}: {message}", e.code().name())
        }
    }
}

fn show(tensor: &Tensor) -> String {
    let mut out = match tensor.dtype() {
        DataType::Float => String::new(),
        other => format!("{other} "),
    };
    let elements: Vec<String> = match tensor.as_slice::<TString>() {
        Ok(strings) => strings
            .iter()
            .map(|s| format!("\"{}\"", s.as_bytes().escape_ascii()))
            .collect(),
        Err(_) => {
            let dtype = tensor.dtype();
            dispatch!(
                dtype,
                [Float, Double, Int32, Int64, Bool],
                |T| elements::<T>(tensor)
            )
            .expect("a type that tests use")
        }
    };
    nested(&mut out, tensor.dims(), &mut elements.into_iter());
    out
}

fn elements<T: Element + ToString>(tensor: &Tensor) -> Result<Vec<String>> {
    Ok(tensor.as_slice::<T>()?.iter().map(T::to_string).collect())
}

fn nested(out: &mut String, dims: &[i64], elements: &mut impl Iterator<Item = String>) {
    let Some((&n, inner)) = dims.split_first() else {
        let _ = write!(
            out,
            "{}",
            elements.next().expect("as many elements as the shape has")
        );
        return;
    };
    out.push('[');
    for i in 0..n {
        if i > 0 {
            out.push(' ');
        }
        nested(out, inner, elements);
    }
    out.push(']');
}

struct Parser<'t> {
    rest: &'t str,
}

impl<'t> Parser<'t> {
    fn take(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Up to a space or a mark.
    fn word(&mut self) -> &'t str {
        let text = self.rest.trim_start();
        let end = text.find(|c: char| c.is_whitespace() || "{}()[]=,".contains(c));
        let (word, rest) = text.split_at(end.unwrap_or(text.len()));
        assert!(!word.is_empty(), "a word: {text}");
        self.rest = rest;
        word
    }

    fn attr(&mut self) -> AttrValue {
        if self.take("[") {
            let mut types = Vec::new();
            while !self.take("]") {
                let word = self.word();
                types.push(DataType::from_name(word).unwrap_or_else(|| panic!("no type: {word}")));
            }
            return types.into();
        }
        let word = self.word();
        match (DataType::from_name(word), word.parse::<i64>()) {
            (Some(dtype), _) => dtype.into(),
            (None, Ok(int)) => int.into(),
            (None, Err(_)) => AttrValue::from(word),
        }
    }

    fn tensor(&mut self) -> Tensor {
        let before = self.rest;
        let mut dtype = DataType::Float;
        if self
            .rest
            .trim_start()
            .starts_with(|c: char| c.is_ascii_alphabetic())
        {
            let word = self.word();
            match DataType::from_name(word) {
                Some(named) => dtype = named,
                // `inf`, `nan`, `true`.
                None => self.rest = before,
            }
        }
        let (mut dims, mut elements) = (Vec::new(), Vec::new());
        self.elements(0, &mut dims, &mut elements);
        fn of<T: Element + std::str::FromStr>(dims: &[i64], elements: &[&str]) -> Result<Tensor> {
            let parse = |e: &&str| e.parse::<T>().unwrap_or_else(|_| panic!("no element: {e}"));
            Tensor::from_slice(dims, &elements.iter().map(parse).collect::<Vec<T>>())
        }
        if dtype == DataType::String {
            let strings: Vec<TString> = elements
                .iter()
                .map(|e| TString::from(e.trim_matches('"')))
                .collect();
            return Tensor::from_slice(&dims, &strings).expect("a shape");
        }
        dispatch!(dtype, [Float, Double, Int32, Int64, Bool], |T| of::<T>(
            &dims, &elements
        ))
        .expect("a shape")
    }

    fn elements(&mut self, depth: usize, dims: &mut Vec<i64>, elements: &mut Vec<&'t str>) {
        if !self.take("[") {
            elements.push(self.word());
            return;
        }
        let mut n = 0;
        while !self.take("]") {
            self.elements(depth + 1, dims, elements);
            n += 1;
        }
        // The innermost list is done first.
        if dims.len() <= depth {
            dims.resize(depth + 1, n);
        }
        dims[depth] = n;
    }
}
