//! The ops that a context knows: TensorFlow's, and those that a user registers.

use std::sync::Arc;

use elsa::sync::{FrozenMap, FrozenVec};
use tfe_core::fork::Mutex;
use tfe_core::{Error, Result, ensure, err};
use tfe_proto::Message as _;
use tfe_proto::tensorflow as pb;

use crate::generated::LEN;
use crate::{OpId, OpSpec, builtin, did_you_mean_sentence, validate};

/// TensorFlow's ops and those registered at run time. Ops are added, never changed or removed, so that a spec lives as
/// long as its registry. Registries share nothing but TensorFlow's ops.
///
/// ```
/// use tfe_ops::{OpRegistry, ops};
///
/// let registry = OpRegistry::new();
/// assert_eq!(registry.lookup("MatMul").unwrap().id(), ops::MAT_MUL);
/// assert_eq!(&*registry.spec(ops::MAT_MUL).unwrap().outputs[0].name, "product");
/// assert!(registry.lookup("NoSuchOp").is_none());
/// ```
#[derive(Default)]
pub struct OpRegistry {
    /// Specs by id, counted from the first after TensorFlow's.
    #[expect(
        clippy::redundant_allocation,
        reason = "a frozen vector gives what its elements lead to"
    )]
    user: FrozenVec<Box<Arc<OpSpec>>>,
    /// Ids of those by name.
    names: FrozenMap<String, Box<OpId>>,
    /// Held while an op is added, so that no name is added twice.
    adding: Mutex<()>,
}

impl OpRegistry {
    /// A registry of TensorFlow's ops.
    pub fn new() -> Self {
        Self::default()
    }

    /// The definition of the op of that name. For TensorFlow's ops no lock is taken.
    #[inline]
    pub fn lookup(&self, name: &str) -> Option<&OpSpec> {
        match Self::builtin(name) {
            Some(spec) => Some(spec),
            None => self.registered(name).map(|spec| &**spec),
        }
    }

    /// The definition of TensorFlow's op of that name.
    #[inline]
    pub fn builtin(name: &str) -> Option<&'static OpSpec> {
        builtin::find(name).map(OpId::spec)
    }

    /// The definition of the op of that name that was registered at run time, which may be shared beyond the registry.
    #[cold]
    pub fn registered(&self, name: &str) -> Option<&Arc<OpSpec>> {
        self.user.get(self.names.get(name)?.index() - LEN)
    }

    /// The definition of the op of that name.
    ///
    /// # Errors
    /// `NotFound` with TensorFlow's message.
    pub fn find(&self, name: &str) -> Result<&OpSpec> {
        self.lookup(name)
            .ok_or_else(|| self.unknown(name, std::iter::empty()))
    }

    /// The error of a name that neither an op has nor one of `functions`: `NotFound`, with TensorFlow's message and the
    /// names that come closest.
    #[cold]
    pub fn unknown<'n>(&'n self, name: &str, functions: impl Iterator<Item = &'n str>) -> Error {
        let names = self.names().chain(functions);
        let hint = did_you_mean_sentence(name, names);
        err!(
            NotFound,
            "'{name}' is neither a type of a primitive operation nor a name of a function registered in binary \
             running on {}. Make sure the operation or function is registered in the binary running in this \
             process.{hint}",
            host_name()
        )
    }

    /// The names of all ops, by id.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let builtin = OpId::all()
            .filter_map(OpId::name)
            .map(|name| -> &str { name });
        builtin.chain(self.user.iter().map(|spec| spec.name()))
    }

    /// The definition of the op of that id; `None` for an id of another registry.
    #[inline]
    pub fn spec(&self, id: OpId) -> Option<&OpSpec> {
        match id.index().checked_sub(LEN) {
            None => Some(id.spec()),
            Some(index) => self.user.get(index).map(|spec| &**spec),
        }
    }

    /// How many ops there are.
    pub fn len(&self) -> usize {
        LEN + self.user.len()
    }

    /// Never: TensorFlow's ops are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All ops by id. TensorFlow's come in order of their names, then the others in the order they were registered.
    pub fn iter(&self) -> impl Iterator<Item = &OpSpec> {
        (0..self.len()).filter_map(|index| self.spec(OpId::new(index as u16)))
    }

    /// Adds an op.
    ///
    /// # Errors
    /// `InvalidArgument` when TensorFlow would not take the definition, `AlreadyExists` when there is an op of that
    /// name, `ResourceExhausted` when there are 65,535 ops.
    ///
    /// ```
    /// use tfe_ops::OpRegistry;
    /// use tfe_proto::tensorflow::{OpDef, op_def::ArgDef};
    ///
    /// let registry = OpRegistry::new();
    /// let op = OpDef {
    ///     name: "Knock".into(),
    ///     input_arg: vec![ArgDef { name: "times".into(), r#type: 3, ..ArgDef::default() }],
    ///     is_stateful: true,
    ///     ..OpDef::default()
    /// };
    /// let id = registry.register(&op)?;
    /// assert_eq!(registry.lookup("Knock").unwrap().id(), id);
    /// assert!(registry.register(&op).is_err());
    /// # Ok::<(), tfe_core::Error>(())
    /// ```
    pub fn register(&self, def: &pb::OpDef) -> Result<OpId> {
        validate::validate(def)?;
        let mut spec = OpSpec::from_op_def(def)?;
        let _adding = self.adding.lock();
        ensure!(
            self.lookup(&def.name).is_none(),
            AlreadyExists,
            "Op with name {}",
            def.name
        );
        let id = u16::try_from(self.len())
            .ok()
            .filter(|&id| id < u16::MAX)
            .map(OpId::new)
            .ok_or_else(|| {
                err!(
                    ResourceExhausted,
                    "no more than 65535 ops can be registered"
                )
            })?;
        spec.id = id;
        self.user.push(Box::new(Arc::new(spec)));
        self.names.insert(def.name.clone(), Box::new(id));
        Ok(id)
    }

    /// All definitions as an encoded `OpList`: what `TF_GetAllOpList` gives.
    pub fn op_list_bytes(&self) -> Vec<u8> {
        let mut bytes = builtin::LIST.to_vec();
        for spec in self.user.iter() {
            prost::encoding::encode_key(1, prost::encoding::WireType::LengthDelimited, &mut bytes);
            prost::encoding::encode_varint(spec.source.len() as u64, &mut bytes);
            bytes.extend_from_slice(&spec.source);
        }
        debug_assert!(pb::OpList::decode(&*bytes).is_ok());
        bytes
    }
}

impl std::fmt::Debug for OpRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OpRegistry({} ops)", self.len())
    }
}

fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "localhost".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests;
