//! Whether a value is one that an attribute may have.

use tfe_core::{DataType, Result, Tensor, bail, ensure};

use crate::tensor_proto::is_writable;
use crate::validate::allowed_in_order;
use crate::{Allowed, AttrBytes, AttrSpec, AttrValue, OpSpec};

impl OpSpec {
    /// Checks a value for the attribute in `slot`: its type, allowed values, minimum.
    ///
    /// # Errors
    /// `InvalidArgument`, with the message that TensorFlow has for it.
    pub fn check_attr(&self, slot: usize, value: &AttrValue) -> Result<()> {
        let attr = &self.attrs[slot];
        check_value(attr, value, || match self.op_def() {
            Ok(def) => allowed_in_order(&def, &attr.name),
            Err(_) => String::new(),
        })
    }
}

/// Checks a value; `allowed` lists what is allowed, for the message.
pub(crate) fn check_value(
    attr: &AttrSpec,
    value: &AttrValue,
    allowed: impl Fn() -> String,
) -> Result<()> {
    check_type(attr, value)
        .map_err(|e| e.with_context(format_args!(" for attr '{}'", attr.name)))?;
    check_limits(attr, value, allowed)
}

fn check_type(attr: &AttrSpec, value: &AttrValue) -> Result<()> {
    if matches!(value, AttrValue::Placeholder(_)) {
        bail!(
            InvalidArgument,
            "AttrValue had value with unexpected type 'placeholder'"
        );
    }
    ensure!(
        attr.fits(value),
        InvalidArgument,
        "AttrValue had value with type '{}' when '{}' expected",
        value.type_name(),
        attr.type_name()
    );
    match value {
        AttrValue::Type(number) => check_dtype(*number),
        AttrValue::Types(numbers) => numbers.iter().try_for_each(|&n| check_dtype(n)),
        AttrValue::Tensor(tensor) => check_tensor(tensor),
        AttrValue::Tensors(tensors) => tensors.iter().try_for_each(check_tensor),
        AttrValue::Shape(shape) => shape.validate(),
        AttrValue::Shapes(shapes) => shapes.iter().try_for_each(|s| s.validate()),
        _ => Ok(()),
    }
}

fn check_dtype(number: i32) -> Result<()> {
    if DataType::from_number(number).is_some() {
        return Ok(());
    }
    if number == 0 {
        bail!(InvalidArgument, "AttrValue has invalid DataType");
    }
    if let Some(dtype) = number.checked_sub(100).and_then(DataType::from_number) {
        bail!(
            InvalidArgument,
            "AttrValue must not have reference type value of {dtype}_ref"
        );
    }
    bail!(
        InvalidArgument,
        "AttrValue has invalid DataType enum: {number}"
    )
}

/// An attribute has to be readable here, and in a message.
fn check_tensor(tensor: &Tensor) -> Result<()> {
    ensure!(
        is_writable(tensor),
        InvalidArgument,
        "AttrValue has a {} tensor of shape {} that lies in device memory or holds handles",
        tensor.dtype(),
        tensor.shape()
    );
    Ok(())
}

fn check_limits(attr: &AttrSpec, value: &AttrValue, allowed: impl Fn() -> String) -> Result<()> {
    let name = &attr.name;
    if let Some(minimum) = attr.minimum {
        match (value, value.list_len()) {
            (AttrValue::Int(v), _) => ensure!(
                *v >= minimum,
                InvalidArgument,
                "Value for attr '{name}' of {v} must be at least minimum {minimum}"
            ),
            (_, Some(len)) => ensure!(
                len as i64 >= minimum,
                InvalidArgument,
                "Length for attr '{name}' of {len} must be at least minimum {minimum}"
            ),
            _ => {}
        }
    }
    let refused = match (&attr.allowed, value) {
        (Allowed::Any, _) => None,
        (Allowed::Types(set), AttrValue::Type(v)) => refused_type(*set, &[*v]),
        (Allowed::Types(set), AttrValue::Types(v)) => refused_type(*set, v),
        (Allowed::Strings(set), AttrValue::String(v)) => {
            refused_string(set, std::slice::from_ref(v))
        }
        (Allowed::Strings(set), AttrValue::Strings(v)) => refused_string(set, v),
        _ => None,
    };
    if let Some(refused) = refused {
        bail!(
            InvalidArgument,
            "Value for attr '{name}' of {refused} is not in the list of allowed values: {}",
            allowed()
        );
    }
    Ok(())
}

fn refused_type(allowed: tfe_core::DTypeSet, given: &[i32]) -> Option<String> {
    given
        .iter()
        .filter_map(|&n| DataType::from_number(n))
        .find(|&d| !allowed.contains(d))
        .map(|d| d.to_string())
}

fn refused_string(allowed: &[AttrBytes], given: &[AttrBytes]) -> Option<String> {
    given
        .iter()
        .find(|v| !allowed.contains(v))
        .map(|v| AttrValue::String(v.clone()).to_string())
}
