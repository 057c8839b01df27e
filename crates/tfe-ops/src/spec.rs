//! What is known of an op: its arguments, attributes and flags.

use std::borrow::Cow;

use tfe_core::{DTypeSet, DataType, Result, err};
use tfe_proto::Message as _;
use tfe_proto::tensorflow as pb;

use crate::{AttrBytes, AttrKind, AttrValue, Fingerprint128, OpId, mix};

/// The definition of an op, or the signature of a function, with attribute names resolved to slots: the position of an
/// attribute in [`attrs`](Self::attrs).
///
/// ```
/// use tfe_ops::{ArgCount, ArgType, ops};
///
/// let spec = ops::CONCAT_V2.spec();
/// assert_eq!(spec.name(), "ConcatV2");
/// let n = spec.attr_slot("N").unwrap();
/// let t = spec.attr_slot("T").unwrap();
/// assert_eq!(spec.inputs[0].count, ArgCount::Number(n));
/// assert_eq!(spec.inputs[0].dtype, ArgType::Attr(t));
/// assert_eq!(spec.attrs[n].minimum, Some(2));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OpSpec {
    /// The op's id; [`OpId::NONE`] for what is no op of a registry, such as a function's signature.
    pub id: OpId,
    /// The name.
    pub name: Box<str>,
    /// Inputs, in order.
    pub inputs: Box<[ArgSpec]>,
    /// Outputs, in order.
    pub outputs: Box<[ArgSpec]>,
    /// Attributes, in order; an index is a slot.
    pub attrs: Box<[AttrSpec]>,
    /// Names of a function's control outputs.
    pub control_outputs: Box<[Box<str>]>,
    /// Has effects or state: neither pruned, merged nor folded.
    pub is_stateful: bool,
    /// The inputs may change places.
    pub is_commutative: bool,
    /// Takes any number of inputs of one type and shape and gives one of the same.
    pub is_aggregate: bool,
    /// Reads no value of a reference input, so it need not have one.
    pub allows_uninitialized_input: bool,
    /// Talks to other processes.
    pub is_distributed_communication: bool,
    /// The GraphDef version from which on graphs should not use the op, when there is one.
    pub deprecated_since: Option<i32>,
    pub(crate) base: Fingerprint128,
    /// The definition as it came, encoded: for messages and lists, which show it in full.
    pub(crate) source: Cow<'static, [u8]>,
}

/// An input or an output: one tensor or a list of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgSpec {
    /// The name.
    pub name: Box<str>,
    /// The type of the tensor, or of each tensor of a list of one type.
    pub dtype: ArgType,
    /// One tensor, or where the length of the list comes from.
    pub count: ArgCount,
    /// Takes or gives a reference to a tensor (graph-mode variables).
    pub is_ref: bool,
}

/// Where the type of an argument comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgType {
    /// Always the same.
    Fixed(DataType),
    /// The attribute in that slot: a type, or for [`ArgCount::TypeList`] a list of them.
    Attr(usize),
}

/// How many tensors an argument has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgCount {
    /// One.
    One,
    /// As many as the `int` attribute in that slot says, all of one type.
    Number(usize),
    /// One for each type of the `list(type)` attribute in that slot.
    TypeList(usize),
}

/// An attribute: its type, default and limits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AttrSpec {
    /// The name.
    pub name: Box<str>,
    /// The kind of the value or of a list's elements.
    pub kind: AttrKind,
    /// Whether the value is a list.
    pub is_list: bool,
    /// The value when none is given; `None` when one has to be.
    pub default: Option<AttrValue>,
    /// The values that are allowed.
    pub allowed: Allowed,
    /// The least value of an `int`, the least length of a list.
    pub minimum: Option<i64>,
    ends: Ends,
    key: Fingerprint128,
    default_mix: Fingerprint128,
}

/// Length, beginning and end of a name in three words: all of a name of up to 16 bytes, so that comparing such names
/// calls no function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ends {
    len: usize,
    first: u64,
    last: u64,
}

impl Ends {
    #[inline]
    fn of(name: &str) -> Self {
        let bytes = name.as_bytes();
        let (first, last) = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
            (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
            _ => Self::of_short(bytes),
        };
        Self {
            len: bytes.len(),
            first,
            last,
        }
    }

    /// Of up to seven bytes: halves that overlap, as those of longer names do.
    #[inline]
    fn of_short(bytes: &[u8]) -> (u64, u64) {
        if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            return (
                u32::from_le_bytes(*first).into(),
                u32::from_le_bytes(*last).into(),
            );
        }
        match *bytes {
            [] => (0, 0),
            [a] => (a.into(), 0),
            [a, b] => (a.into(), b.into()),
            [a, b, ref rest @ ..] => (a.into(), u64::from(b) << 8 | u64::from(rest[0])),
        }
    }

    /// Whether nothing lies between the ends.
    #[inline]
    fn are_all(self) -> bool {
        self.len <= 16
    }
}

/// Which values an attribute may have, or each element of a list.
#[derive(Clone, Debug, PartialEq)]
pub enum Allowed {
    /// All of its kind.
    Any,
    /// These types.
    Types(DTypeSet),
    /// These strings.
    Strings(Box<[AttrBytes]>),
}

impl OpSpec {
    /// The id.
    #[inline]
    pub fn id(&self) -> OpId {
        self.id
    }

    /// The name.
    #[inline]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The slot of the attribute of that name.
    #[inline]
    pub fn attr_slot(&self, name: &str) -> Option<usize> {
        let ends = Ends::of(name);
        let same = |attr: &AttrSpec| attr.ends == ends && (ends.are_all() || *attr.name == *name);
        self.attrs.iter().position(same)
    }

    /// The attribute of that name.
    pub fn attr(&self, name: &str) -> Option<&AttrSpec> {
        self.attr_slot(name).map(|slot| &self.attrs[slot])
    }

    /// The position of the input argument of that name.
    pub fn input_index(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|arg| *arg.name == *name)
    }

    /// The position of the output argument of that name.
    pub fn output_index(&self, name: &str) -> Option<usize> {
        self.outputs.iter().position(|arg| *arg.name == *name)
    }

    /// The definition as it came.
    ///
    /// # Errors
    /// `Internal` when it cannot be decoded again.
    pub fn op_def(&self) -> Result<pb::OpDef> {
        pb::OpDef::decode(&*self.source)
            .map_err(|e| err!(Internal, "the definition of {} is broken: {e}", self.name))
    }

    /// What a key of this op starts from: its name, and all defaults.
    #[inline]
    pub fn base_fingerprint(&self) -> Fingerprint128 {
        self.base
    }
}

impl AttrSpec {
    pub(crate) fn new(
        name: &str,
        (kind, is_list): (AttrKind, bool),
        default: Option<AttrValue>,
        allowed: Allowed,
        minimum: Option<i64>,
    ) -> Self {
        let key = attr_key(name);
        let default_mix = default
            .as_ref()
            .map_or_else(Fingerprint128::default, |v| mix::mix(key, v));
        Self {
            name: name.into(),
            kind,
            is_list,
            default,
            allowed,
            minimum,
            ends: Ends::of(name),
            key,
            default_mix,
        }
    }

    /// The type as definitions spell it: `list(int)`.
    pub fn type_name(&self) -> &'static str {
        self.kind.name_as(self.is_list)
    }

    /// Whether the attribute can take a value of that type (allowed values and minimum apart).
    pub fn fits(&self, value: &AttrValue) -> bool {
        value.fits(self.kind, self.is_list)
    }

    /// By how much `value` changes a key: the key of an op is [`OpSpec::base_fingerprint`] and the sum of these.
    ///
    /// The base holds the defaults; a value takes the place of its default, so the default itself changes nothing.
    #[inline]
    pub fn contribution(&self, value: &AttrValue) -> Fingerprint128 {
        // Flags are set to their defaults all the time.
        if let (AttrValue::Bool(value), Some(AttrValue::Bool(default))) = (value, &self.default)
            && value == default
        {
            return Fingerprint128 { lo: 0, hi: 0 };
        }
        mix::mix(self.key, value).minus(self.default_mix)
    }

    /// [`contribution`](Self::contribution) of a data type, without a value in between: most attributes of most calls.
    #[inline]
    pub fn type_contribution(&self, dtype: DataType) -> Fingerprint128 {
        mix::mix_type(self.key, dtype.number()).minus(self.default_mix)
    }

    pub(crate) fn default_contribution(&self) -> Fingerprint128 {
        self.default_mix
    }
}

/// By how much an attribute that the op does not have changes a key.
pub fn extra_contribution(name: &str, value: &AttrValue) -> Fingerprint128 {
    mix::mix(attr_key(name), value)
}

fn attr_key(name: &str) -> Fingerprint128 {
    Fingerprint128::of(name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_tell_short_names_apart() {
        let mut names = vec![String::new()];
        for len in 1..=16 {
            for at in 0..len {
                for c in ["x", "y"] {
                    let mut name = "a".repeat(len);
                    name.replace_range(at..=at, c);
                    names.push(name);
                }
            }
        }
        for a in &names {
            for b in &names {
                assert_eq!(Ends::of(a) == Ends::of(b), a == b, "{a} {b}");
            }
        }
    }
}
