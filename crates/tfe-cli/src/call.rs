//! A call from the words of a command line: arguments shared out and typed, attributes, results.

use std::ops::Range;

use tfe_eager::{
    ArgCount, ArgType, AttrKind, AttrValue, Context, DataType, Op, OpSpec, Tensor, TensorHandle,
    did_you_mean,
};

use crate::failure::{Failure, Outcome};
use crate::literal::{self, Literal};
use crate::{attr, convert, dtype, files, npy, ops};

/// A result.
pub(crate) struct Output {
    /// The name in the signature; `name:2` within a list.
    pub(crate) name: String,
    /// The value, in host memory.
    pub(crate) tensor: Tensor,
    /// Full name of the device that it was on.
    pub(crate) device: String,
}

/// Calls an op or a function with values and attributes (`name=value`).
pub(crate) fn call(
    ctx: &Context,
    name: &str,
    words: &[String],
    device: Option<&str>,
) -> Outcome<Vec<Output>> {
    let mut op = ctx.op(name).map_err(|_| Failure::unknown(ctx, name))?;
    let spec = op.attrs().spec().clone();
    op.set_device(device.unwrap_or_default())?;
    let stdin = files::stdin(words)?;
    let mut args = Vec::new();
    for word in words {
        match attr::split(word) {
            Some((name, value)) => set_attr(&mut op, &spec, name, value)?,
            None if word == files::STDIN => args.push(Arg::of_stdin(&stdin)?),
            None => args.push(Arg::parse(word)?),
        }
    }
    let call = Call {
        spec: &spec,
        op: &op,
    };
    let ranges = call.share_out(args.len())?;
    let inputs = call.tensors(args, &ranges)?;
    for (arg, range) in spec.inputs.iter().zip(ranges) {
        match arg.count {
            ArgCount::One => op.add_input(&inputs[range.start])?,
            _ => op.add_input_list(&inputs[range])?,
        }
    }
    run(op, &spec)
}

fn run(mut op: Op, spec: &OpSpec) -> Outcome<Vec<Output>> {
    let handles = op.execute()?;
    let mut names = Vec::new();
    for arg in &spec.outputs {
        match arg.count {
            ArgCount::One => names.push(arg.name.to_string()),
            _ => {
                let len = op.attrs().output_len(&arg.name)?;
                names.extend((0..len).map(|i| format!("{}:{i}", arg.name)));
            }
        }
    }
    let outputs = names.into_iter().zip(handles).map(|(name, handle)| {
        Ok(Output {
            name,
            tensor: handle.to_tensor()?,
            device: handle.device_name().to_string(),
        })
    });
    outputs.collect()
}

fn set_attr(op: &mut Op, spec: &OpSpec, name: &str, value: &str) -> Outcome {
    let Some(attr) = spec.attr(name) else {
        let hint = did_you_mean(name, spec.attrs.iter().map(|a| &*a.name));
        let what = format!("{} has no attribute '{name}'{hint}", spec.name());
        return Err(Failure::usage(what));
    };
    if op.attrs().is_set(name) {
        return Err(Failure::usage(format!("{name} is given twice")));
    }
    op.set_attr(name, attr::parse(attr, value).map_err(Failure::Usage)?);
    Ok(())
}

/// An argument.
enum Arg<'t> {
    /// One whose type is known.
    Typed(Tensor),
    /// One that takes the type that is wanted.
    Bare(Literal<'t>),
}

impl<'t> Arg<'t> {
    /// A literal, or `@` and the name of a file.
    fn parse(word: &'t str) -> Outcome<Self> {
        if let Some(path) = word.strip_prefix('@') {
            let bytes = std::fs::read(path).map_err(|e| Failure::file(path, &e))?;
            return files::read_npy(path, &bytes).map(Self::Typed);
        }
        Self::literal(word)
    }

    /// NumPy's file, or a literal: what this program prints.
    fn of_stdin(bytes: &'t [u8]) -> Outcome<Self> {
        if npy::is_npy(bytes) {
            return files::read_npy("standard input", bytes).map(Self::Typed);
        }
        let text = std::str::from_utf8(bytes);
        let text =
            text.map_err(|_| Failure::usage("standard input is neither text nor NumPy's"))?;
        Self::literal(text.trim())
    }

    fn literal(word: &'t str) -> Outcome<Self> {
        let literal = literal::parse(word).map_err(Failure::Usage)?;
        Ok(match literal.dtype {
            Some(dtype) => {
                let tensor = convert::tensor(&literal, dtype);
                Self::Typed(tensor.map_err(|e| Failure::usage(format!("'{word}': {e}")))?)
            }
            None => Self::Bare(literal),
        })
    }

    fn as_bare(&self) -> Option<&Literal<'t>> {
        match self {
            Self::Typed(_) => None,
            Self::Bare(literal) => Some(literal),
        }
    }
}

/// What the arguments are for.
struct Call<'c> {
    spec: &'c OpSpec,
    op: &'c Op,
}

impl Call<'_> {
    /// The value of an attribute that was given, defaults apart.
    fn given(&self, slot: usize) -> Option<&AttrValue> {
        let name = &self.spec.attrs[slot].name;
        self.op
            .attrs()
            .value(name)
            .filter(|_| self.op.attrs().is_set(name))
    }

    /// Which of `count` arguments belong to each input of the signature. Lists whose length is not given take as many as
    /// they can: the first all that those after it do not need.
    fn share_out(&self, count: usize) -> Outcome<Vec<Range<usize>>> {
        let spec = self.spec;
        let slot = |count: ArgCount| match count {
            ArgCount::One => None,
            ArgCount::Number(slot) | ArgCount::TypeList(slot) => Some(slot),
        };
        // How long the lists of each attribute are.
        let mut lens: Vec<Option<usize>> = (0..spec.attrs.len())
            .map(|slot| match self.given(slot)? {
                AttrValue::Int(n) => usize::try_from(*n).ok(),
                value => value.list_len(),
            })
            .collect();
        let least =
            |slot: usize| usize::try_from(spec.attrs[slot].minimum.unwrap_or(0)).unwrap_or(0);
        let needed = |lens: &[Option<usize>]| -> usize {
            let one = |arg: &tfe_eager::ArgSpec| {
                slot(arg.count).map_or(1, |s| lens[s].unwrap_or_else(|| least(s)))
            };
            spec.inputs.iter().map(one).fold(0, usize::saturating_add)
        };
        for open in spec.inputs.iter().filter_map(|arg| slot(arg.count)) {
            if lens[open].is_none() {
                let lists = spec
                    .inputs
                    .iter()
                    .filter(|arg| slot(arg.count) == Some(open));
                let spare = count.saturating_sub(needed(&lens)) / lists.count();
                lens[open] = Some(least(open) + spare);
            }
        }
        if needed(&lens) != count {
            let what = if count == 1 {
                "argument does"
            } else {
                "arguments do"
            };
            let signature = ops::signature(spec);
            return Err(Failure::usage(format!(
                "{count} {what} not fit {signature}"
            )));
        }
        let mut start = 0;
        let ranges = spec.inputs.iter().map(|arg| {
            let len = slot(arg.count).map_or(1, |s| lens[s].unwrap_or(0));
            let range = start..start + len;
            start = range.end;
            range
        });
        Ok(ranges.collect())
    }

    /// The arguments as tensors: bare literals get the type that the signature wants.
    fn tensors(&self, args: Vec<Arg<'_>>, ranges: &[Range<usize>]) -> Outcome<Vec<TensorHandle>> {
        let mut dtypes = Vec::new();
        for (arg, range) in self.spec.inputs.iter().zip(ranges) {
            for (nth, at) in range.clone().enumerate() {
                dtypes.push(match (arg.count, arg.dtype) {
                    (ArgCount::TypeList(slot), _) => self.type_in_list(slot, nth, &args[at]),
                    (_, ArgType::Fixed(dtype)) => dtype,
                    (_, ArgType::Attr(slot)) => self.type_of(slot, &args, ranges),
                });
            }
        }
        let names = self.spec.inputs.iter().zip(ranges);
        let names = names.flat_map(|(arg, range)| range.clone().map(|_| &*arg.name));
        let typed = args.into_iter().zip(dtypes).zip(names);
        let tensors = typed.map(|((arg, dtype), name)| match arg {
            Arg::Typed(tensor) => Ok(TensorHandle::new(tensor)),
            Arg::Bare(literal) => {
                let tensor = convert::tensor(&literal, dtype).map_err(|e| {
                    let (op, dtype) = (self.spec.name(), dtype::name(dtype));
                    Failure::usage(format!("{op} wants {dtype} for '{name}': {e}"))
                })?;
                Ok(TensorHandle::new(tensor))
            }
        });
        tensors.collect()
    }

    /// The type that a type attribute has: the given one, that of the first argument whose type is known, or one that
    /// fits all literals.
    fn type_of(&self, slot: usize, args: &[Arg<'_>], ranges: &[Range<usize>]) -> DataType {
        if let Some(dtype) = self.given(slot).and_then(as_type) {
            return dtype;
        }
        let of_slot = self.spec.inputs.iter().zip(ranges);
        let of_slot = of_slot
            .filter(|(arg, _)| arg.dtype == ArgType::Attr(slot))
            .flat_map(|(_, range)| &args[range.clone()]);
        let typed = of_slot.clone().find_map(|arg| match arg {
            Arg::Typed(tensor) => Some(tensor.dtype()),
            Arg::Bare(_) => None,
        });
        let attr = &self.spec.attrs[slot];
        typed.unwrap_or_else(|| {
            let literals: Vec<_> = of_slot.filter_map(Arg::as_bare).collect();
            let default = attr.default.as_ref().and_then(as_type);
            convert::choose(&literals, default, attr::allowed_types(attr))
        })
    }

    /// The type of an element of a list of mixed types.
    fn type_in_list(&self, slot: usize, nth: usize, arg: &Arg<'_>) -> DataType {
        debug_assert_eq!(self.spec.attrs[slot].kind, AttrKind::Type);
        let given = match self.given(slot) {
            Some(AttrValue::Types(types)) => {
                types.get(nth).copied().and_then(DataType::from_number)
            }
            _ => None,
        };
        given.unwrap_or_else(|| {
            let literals: Vec<_> = arg.as_bare().into_iter().collect();
            let allowed = attr::allowed_types(&self.spec.attrs[slot]);
            convert::choose(&literals, None, allowed)
        })
    }
}

fn as_type(value: &AttrValue) -> Option<DataType> {
    match value {
        AttrValue::Type(number) => DataType::from_number(*number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many arguments each input gets of `count`, after an attribute was set.
    fn shared(op: &str, attr: Option<(&str, i64)>, count: usize) -> Option<Vec<usize>> {
        let ctx = Context::new().expect("a context");
        let mut op = ctx.op(op).expect("an op");
        if let Some((name, value)) = attr {
            op.set_attr(name, value);
        }
        let spec = op.attrs().spec().clone();
        let call = Call {
            spec: &spec,
            op: &op,
        };
        let ranges = call.share_out(count).ok()?;
        assert!(ranges.is_sorted_by(|a, b| a.end == b.start));
        Some(ranges.iter().map(Range::len).collect())
    }

    #[test]
    fn lists_take_what_is_left() {
        assert_eq!(shared("ConcatV2", None, 4), Some(vec![3, 1]));
        assert_eq!(shared("ConcatV2", None, 2), None);
        assert_eq!(shared("ConcatV2", Some(("N", 2)), 4), None);
        assert_eq!(shared("ConcatV2", Some(("N", 3)), 4), Some(vec![3, 1]));
        assert_eq!(shared("AddV2", None, 2), Some(vec![1, 1]));
        assert_eq!(shared("AddV2", None, 3), None);
        assert_eq!(shared("NoOp", None, 0), Some(vec![]));
        // Two lists of one length.
        assert_eq!(shared("DynamicStitch", None, 6), Some(vec![3, 3]));
        assert_eq!(shared("DynamicStitch", None, 5), None);
        // Lists of lengths of their own: the first takes all that it can.
        assert_eq!(shared("ParseExample", None, 5), Some(vec![1, 1, 3, 0, 0]));
        let one = Some(("Nsparse", 1));
        assert_eq!(shared("ParseExample", one, 5), Some(vec![1, 1, 1, 2, 0]));
        assert_eq!(shared("QuantizedConcat", None, 7), Some(vec![1, 2, 2, 2]));
    }
}
