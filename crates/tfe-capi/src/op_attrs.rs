//! `TFE_OpAttrs` (`eager/c_api_experimental.h`): the attrs of an op as messages, and all together.
#![expect(unsafe_code, reason = "exported to C")]

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};

use tfe_core::{Result, err};
use tfe_ops::attr_value_to_proto;
use tfe_proto::Message as _;
use tfe_proto::tensorflow::{AttrValue, NameAttrList};

use crate::guard::{as_mut, as_ref, given, guard, shield, slice, text};
use crate::{TF_Buffer, TF_Status, TFE_Op};

/// The attrs of an op: the op itself, seen in another way.
#[derive(Debug)]
#[repr(transparent)]
pub struct TFE_OpAttrs(TFE_Op);

impl TFE_OpAttrs {
    fn to_proto(&self) -> Result<NameAttrList> {
        let op = &self.0.op;
        let values = op.attrs().values();
        let attr = values.map(|(name, value)| Ok((name.to_owned(), attr_value_to_proto(value)?)));
        Ok(NameAttrList {
            name: op.name().to_owned(),
            attr: attr.collect::<Result<BTreeMap<_, _>>>()?,
        })
    }
}

/// The attrs of an op.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpGetAttrs(op: *const TFE_Op) -> *const TFE_OpAttrs {
    op.cast()
}

/// Sets those attrs of an op that it has not.
///
/// # Safety
/// As [the crate](crate#safety) says; `attrs` may be those of `op`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpAddAttrs(op: *mut TFE_Op, attrs: *const TFE_OpAttrs) {
    shield((), || {
        // SAFETY: null or attrs, and not looked at any more once `op` changes.
        let attrs = unsafe { as_ref(attrs, "attrs") }?.0.op.attrs();
        let owned = attrs
            .set_values()
            .map(|(name, v)| (name.to_owned(), v.clone()));
        let owned: Vec<_> = owned.collect();
        // SAFETY: null or an op that nobody else uses: what was read from `attrs` are copies.
        let op = unsafe { as_mut(op, "op") }?;
        for (name, value) in owned {
            op.op.set_attr(&name, value);
        }
        Ok(())
    });
}

/// Writes the attrs as a message.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpAttrsSerialize(
    attrs: Option<&TFE_OpAttrs>,
    buf: Option<&mut TF_Buffer>,
    status: *mut TF_Status,
) {
    let write = || {
        let attrs = given(attrs, "attrs")?.to_proto()?;
        given(buf, "buf")?.fill(&attrs.encode_to_vec())
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), write) }
}

/// Reads a serialized `AttrValue`.
pub(crate) fn parse_attr_value(bytes: &[u8]) -> Result<AttrValue> {
    AttrValue::decode(bytes).map_err(|_| err!(InvalidArgument, "Unparseable AttrValue proto"))
}

/// Sets an attr from a message.
///
/// # Safety
/// As [the crate](crate#safety) says; `proto` leads to `proto_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetAttrValueProto(
    op: Option<&mut TFE_Op>,
    attr_name: *const c_char,
    proto: *const c_void,
    proto_len: usize,
    status: *mut TF_Status,
) {
    // SAFETY: null or a C string.
    let name = unsafe { text(attr_name, "attr_name") };
    // SAFETY: an array of bytes, says the caller.
    let bytes = unsafe { slice(proto.cast::<u8>(), proto_len, "proto") };
    let set = || {
        let value = parse_attr_value(bytes?)?;
        given(op, "op")?.op.set_attr_proto(&name?, &value)
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), set) }
}
