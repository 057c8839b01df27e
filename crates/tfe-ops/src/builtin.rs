//! The ops of TensorFlow 2.21: definitions in one blob, decoded one by one at first use.

use std::borrow::Cow;
use std::sync::OnceLock;

use tfe_core::{Result, err};
use tfe_proto::Message as _;
use tfe_proto::tensorflow as pb;

use crate::generated::{LEN, LIST_LEN, SPANS, TABLE};
use crate::name_hash::{TABLE_BITS, name_hash};
use crate::{OpId, OpSpec};

/// An encoded `OpList`. One blob with offsets into it needs no relocation and no work at start.
pub(crate) static LIST: &[u8; LIST_LEN] = include_bytes!("../op_list.pb");

static SPECS: [OnceLock<Box<OpSpec>>; LEN] = [const { OnceLock::new() }; LEN];

impl OpId {
    /// The op's definition.
    ///
    /// # Panics
    /// For [`OpId::NONE`], and for ops registered at run time: their registry has the definition.
    #[inline]
    pub fn spec(self) -> &'static OpSpec {
        let spec = &SPECS[self.index()];
        spec.get().unwrap_or_else(|| {
            let _inside = tfe_core::fork::enter();
            spec.get_or_init(|| Box::new(decode(self)))
        })
    }
}

/// The id of TensorFlow's op of that name: one hash, and for names that exist one comparison.
#[inline]
pub(crate) fn find(name: &str) -> Option<OpId> {
    let hash = name_hash(name.as_bytes());
    let mut slot = (hash >> (64 - TABLE_BITS)) as usize;
    loop {
        // Low half: id + 1. High half: the hash's low bits, which tell most other names apart.
        let entry = TABLE[slot];
        if entry == 0 {
            return None;
        }
        if entry >> 16 == hash as u32 & 0xffff {
            let id = OpId::new(entry as u16 - 1);
            if builtin_name(id) == name.as_bytes() {
                return Some(id);
            }
        }
        slot = (slot + 1) % TABLE.len();
    }
}

fn definition(id: OpId) -> &'static [u8] {
    let (start, len) = SPANS[id.index()];
    &LIST[start as usize..start as usize + usize::from(len)]
}

/// The name, which is the first field of each definition: a tag, a length of one byte, the text.
pub(crate) fn builtin_name(id: OpId) -> &'static [u8] {
    let definition = definition(id);
    &definition[2..2 + usize::from(definition[1])]
}

#[cold]
fn decode(id: OpId) -> OpSpec {
    match try_decode(id) {
        Ok(spec) => spec,
        // A test decodes all definitions, and the blob is part of the program.
        Err(e) => unreachable!("op {}: {e}", id.index()),
    }
}

pub(crate) fn try_decode(id: OpId) -> Result<OpSpec> {
    let source = definition(id);
    let def = pb::OpDef::decode(source).map_err(|e| err!(Internal, "malformed OpDef: {e}"))?;
    let mut spec = OpSpec::from_parts(&def, Cow::Borrowed(source))?;
    spec.id = id;
    Ok(spec)
}
