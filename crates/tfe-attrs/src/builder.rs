//! `AttrBuilder`: the attributes of one call, as they are collected.

use tfe_core::{DataType, Result, bail};
use tfe_ops::{ArgCount, ArgType, AttrValue, Fingerprint128, OpSpec, extra_contribution};

use crate::key::{self, CacheKey, DeviceKey};
use crate::slots::SlotValues;
use crate::{SpecRef, args};

/// Collects the attributes of a call of an op or function, and its number of inputs.
///
/// As in TensorFlow the first value that is given for an attribute holds, and one that follows from an input of an op
/// counts as given; from the inputs of a function nothing follows unless [`infer`](Self::infer) says so. What is wrong is
/// reported by [`finish`](Self::finish): a value of the wrong kind, a missing attribute, too few inputs. An attribute that
/// the op does not have is kept, shows in the key and the `NodeDef`, and is ignored otherwise;
/// [`check_names`](Self::check_names) finds it.
///
/// The key is kept up to date by every call, so that [`cache_key`](Self::cache_key) costs the same however many
/// attributes there are; scalars and short strings take no memory of their own.
///
/// ```
/// use tfe_attrs::{AttrBuilder, AttrValue};
/// use tfe_core::DataType;
/// use tfe_ops::ops;
///
/// let mut concat = AttrBuilder::new(ops::CONCAT_V2.spec());
/// concat.add_input_list(&[DataType::Half, DataType::Half, DataType::Half])?;
/// concat.add_input(DataType::Int32)?;
/// assert_eq!(concat.value("N"), Some(&AttrValue::Int(3)));
/// assert_eq!(concat.value("T"), Some(&DataType::Half.into()));
/// assert_eq!(concat.input_count(), 4);
/// assert_eq!(concat.input_len("values")?, 3);
/// # Ok::<(), tfe_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AttrBuilder<'a> {
    pub(crate) spec: SpecRef<'a>,
    /// The key but for device and inputs: base of the op, and what each value adds to it.
    sum: Fingerprint128,
    set: SlotValues,
    rare: Option<Box<Rare>>,
    num_inputs: u32,
    /// The argument that the next input belongs to.
    next_arg: u16,
    /// Whether inputs still say what attributes are.
    infers: bool,
    /// Whether the inputs of a new call do.
    starts_inferring: bool,
}

/// What few calls have; apart, so that the others need not carry it.
#[derive(Clone, Debug, Default)]
struct Rare {
    /// Values of attributes that the op does not have.
    extras: Vec<(Box<str>, AttrValue)>,
    /// The node's name, where it is not the op's.
    node_name: Option<Box<str>>,
}

impl<'a> AttrBuilder<'a> {
    /// A builder without attributes or inputs.
    #[inline]
    pub fn new(spec: impl Into<SpecRef<'a>>) -> Self {
        let spec = spec.into();
        Self {
            sum: spec.base_fingerprint(),
            infers: !spec.is_function(),
            starts_inferring: !spec.is_function(),
            spec,
            set: SlotValues::new(),
            rare: None,
            num_inputs: 0,
            next_arg: 0,
        }
    }

    /// Whether the inputs added from now on say what attributes are: at first those of ops do, and those of functions do
    /// not, as in TensorFlow.
    #[inline]
    pub fn infer(&mut self, from_inputs: bool) -> &mut Self {
        self.infers = from_inputs;
        self.starts_inferring = from_inputs;
        self
    }

    /// The definition that the attributes are for.
    #[inline]
    pub fn spec(&self) -> &OpSpec {
        &self.spec
    }

    /// Whether that is the signature of a function.
    #[inline]
    pub fn is_function(&self) -> bool {
        self.spec.is_function()
    }

    /// Sets an attribute, unless it has a value already.
    #[inline]
    pub fn set(&mut self, name: &str, value: impl Into<AttrValue>) -> &mut Self {
        match self.spec.attr_slot(name) {
            Some(slot) => self.set_slot(slot, value),
            None => self.set_extra(name, value.into()),
        }
        self
    }

    // Inlined, so that a setter of one kind of value looks at no other kinds; and made a value only where it is kept, so
    // that a scalar need not go through memory.
    #[inline(always)]
    fn set_slot(&mut self, slot: usize, value: impl Into<AttrValue>) {
        if !self.set.contains(slot) {
            let attr = &self.spec.attrs[slot];
            let value = value.into();
            self.sum = self.sum.plus(attr.contribution(&value));
            self.set.push(slot, value);
        }
    }

    #[cold]
    fn set_extra(&mut self, name: &str, value: AttrValue) {
        if self.extras().all(|(n, _)| n != name) {
            self.sum = self.sum.plus(extra_contribution(name, &value));
            let rare = self.rare.get_or_insert_default();
            rare.extras.push((name.into(), value));
        }
    }

    pub(crate) fn set_node_name(&mut self, name: &str) {
        self.rare.get_or_insert_default().node_name = Some(name.into());
    }

    /// The node's name: the op's, or that of the node that the builder was made from.
    pub(crate) fn node_name(&self) -> &str {
        let name = self
            .rare
            .as_ref()
            .and_then(|rare| rare.node_name.as_deref());
        name.unwrap_or(self.spec.name())
    }

    /// Says how many inputs there are, without their types.
    pub fn num_inputs(&mut self, count: usize) -> &mut Self {
        self.num_inputs = u32::try_from(count).unwrap_or(u32::MAX);
        self
    }

    /// How many inputs were added or announced.
    pub fn input_count(&self) -> usize {
        self.num_inputs as usize
    }

    /// Adds an input: its type is that of the argument's type attribute, unless that has a value.
    ///
    /// An element of a list argument may come this way too. Where the list ends cannot be seen then, so from there on
    /// nothing is inferred, and its type and length have to be set, as in TensorFlow.
    ///
    /// # Errors
    /// None yet: whether the inputs fit the definition, [`finish`](Self::finish) says.
    #[inline]
    pub fn add_input(&mut self, dtype: DataType) -> Result<()> {
        self.num_inputs = self.num_inputs.saturating_add(1);
        if self.infers {
            self.infer_one(dtype);
        }
        Ok(())
    }

    #[inline]
    fn infer_one(&mut self, dtype: DataType) {
        let Some(arg) = self.spec.inputs.get(usize::from(self.next_arg)) else {
            return;
        };
        if arg.count != ArgCount::One {
            self.infers = false;
            return;
        }
        let dtype_from = arg.dtype;
        self.next_arg += 1;
        if let ArgType::Attr(slot) = dtype_from
            && !self.set.contains(slot)
        {
            // Not by way of a value on the stack: it would be read back while its parts are still being stored.
            self.sum = self
                .sum
                .plus(self.spec.attrs[slot].type_contribution(dtype));
            self.set.push(slot, dtype.into());
        }
    }

    /// Adds all inputs of a list argument: their number and types are those of its attributes, unless those have values.
    ///
    /// # Errors
    /// `InvalidArgument` when the next argument is no list.
    pub fn add_input_list(&mut self, dtypes: &[DataType]) -> Result<()> {
        if self.infers {
            self.infer_list(dtypes)?;
        }
        self.num_inputs = self
            .num_inputs
            .saturating_add(u32::try_from(dtypes.len()).unwrap_or(u32::MAX));
        Ok(())
    }

    fn infer_list(&mut self, dtypes: &[DataType]) -> Result<()> {
        let Some(arg) = self.spec.inputs.get(usize::from(self.next_arg)) else {
            bail!(InvalidArgument, "Invalid input list definition");
        };
        let (count, dtype) = (arg.count, arg.dtype);
        match count {
            ArgCount::One => bail!(InvalidArgument, "Invalid input list definition"),
            ArgCount::TypeList(slot) => self.set_slot(slot, dtypes),
            ArgCount::Number(slot) => {
                self.set_slot(slot, AttrValue::Int(dtypes.len() as i64));
                if let (ArgType::Attr(slot), Some(&first)) = (dtype, dtypes.first()) {
                    self.set_slot(slot, first);
                }
            }
        }
        self.next_arg += 1;
        Ok(())
    }

    /// Forgets the inputs, so that new ones can be added; attributes that followed from them keep their values.
    pub fn clear_inputs(&mut self) {
        self.num_inputs = 0;
        self.next_arg = 0;
        self.infers = self.starts_inferring;
    }

    /// The key of the call as it is now, on that device.
    ///
    /// Equal for calls of the same op on the same device with the same number of inputs and the same attributes, in
    /// whatever order they were set; an attribute set to its default is as good as not set. Floats count by their bits.
    #[inline]
    pub fn cache_key(&self, device: impl Into<DeviceKey>) -> CacheKey {
        self.sum
            .plus(key::inputs_print(self.num_inputs))
            .plus(device.into().print())
            .into()
    }

    /// The value of an attribute: as set, inferred or by default.
    pub fn value(&self, name: &str) -> Option<&AttrValue> {
        match self.spec.attr_slot(name) {
            Some(slot) => self.slot(slot),
            None => self.extras().find(|&(n, _)| n == name).map(|(_, v)| v),
        }
    }

    /// Whether an attribute was set, or inferred.
    pub fn is_set(&self, name: &str) -> bool {
        match self.spec.attr_slot(name) {
            Some(slot) => self.set.contains(slot),
            None => self.extras().any(|(n, _)| n == name),
        }
    }

    pub(crate) fn slot(&self, slot: usize) -> Option<&AttrValue> {
        let set = self.set.get(slot);
        set.or(self.spec.attrs[slot].default.as_ref())
    }

    /// The attributes that were set or inferred, those that the op does not have included.
    pub fn set_values(&self) -> impl Iterator<Item = (&str, &AttrValue)> {
        let declared = self.set.iter();
        declared
            .map(|(slot, value)| (&*self.spec.attrs[slot].name, value))
            .chain(self.extras())
    }

    /// All attributes that have a value: set, inferred or by default.
    pub fn values(&self) -> impl Iterator<Item = (&str, &AttrValue)> {
        let declared = self.spec.attrs.iter().enumerate();
        declared
            .filter_map(|(slot, attr)| Some((&*attr.name, self.slot(slot)?)))
            .chain(self.extras())
    }

    pub(crate) fn set_slots(&self) -> impl Iterator<Item = (usize, &AttrValue)> {
        self.set.iter()
    }

    pub(crate) fn extras(&self) -> impl Iterator<Item = (&str, &AttrValue)> {
        let extras = self.rare.as_ref().map_or(&[][..], |rare| &rare.extras);
        extras.iter().map(|(name, value)| (&**name, value))
    }

    /// How many tensors the input argument of that name takes, by the attributes as they are now.
    ///
    /// # Errors
    /// `InvalidArgument` when there is no such argument, `NotFound` when the attribute that says so has no value.
    pub fn input_len(&self, name: &str) -> Result<usize> {
        let Some(index) = self.spec.input_index(name) else {
            bail!(InvalidArgument, "Input '{name}' not found");
        };
        args::len(&self.spec, &self.spec.inputs[index], &|slot| {
            self.slot(slot)
        })
    }

    /// How many tensors the output argument of that name gives.
    ///
    /// # Errors
    /// As [`input_len`](Self::input_len).
    pub fn output_len(&self, name: &str) -> Result<usize> {
        let Some(index) = self.spec.output_index(name) else {
            bail!(InvalidArgument, "Output '{name}' not found");
        };
        args::len(&self.spec, &self.spec.outputs[index], &|slot| {
            self.slot(slot)
        })
    }
}

#[cfg(test)]
mod tests;
