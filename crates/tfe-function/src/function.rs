//! `Function`: one definition, and its signature seen as an op's.

use std::fmt;
use std::sync::{Arc, OnceLock};

use tfe_core::{Result, err};
use tfe_ops::{AttrValue, OpSpec, attr_value_from_proto};
use tfe_proto::Message as _;
use tfe_proto::tensorflow::{FunctionDef, NodeDef, OpDef};

/// A function: its definition, the bytes that it came in, and its signature seen as an op's.
pub struct Function {
    def: FunctionDef,
    bytes: Box<[u8]>,
    spec: Arc<OpSpec>,
    /// The attributes of each node, read when first needed, so that all plans share the memory of constants.
    node_attrs: OnceLock<Result<Box<[NodeAttrs]>>>,
}

/// Names and values of one node's attributes; placeholders are not bound yet.
pub(crate) type NodeAttrs = Vec<(Box<str>, AttrValue)>;

impl Function {
    /// The function of an encoded `FunctionDef`.
    ///
    /// # Errors
    /// `InvalidArgument` for bytes that are no `FunctionDef`, and as [`from_def`](Self::from_def).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let def = FunctionDef::decode(bytes)
            .map_err(|_| err!(InvalidArgument, "Invalid FunctionDef proto"))?;
        Self::new(def, bytes.into())
    }

    /// The function of that definition.
    ///
    /// # Errors
    /// `InvalidArgument` when the signature gives an argument no type, or one by an attribute that it does not have.
    /// The body is looked at when the function is called.
    pub fn from_def(def: FunctionDef) -> Result<Self> {
        let bytes = def.encode_to_vec().into();
        Self::new(def, bytes)
    }

    fn new(def: FunctionDef, bytes: Box<[u8]>) -> Result<Self> {
        let none = OpDef::default();
        let spec = OpSpec::from_op_def(def.signature.as_ref().unwrap_or(&none))?;
        Ok(Self {
            spec: Arc::new(spec),
            node_attrs: OnceLock::new(),
            def,
            bytes,
        })
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.spec.name()
    }

    /// The definition.
    pub fn def(&self) -> &FunctionDef {
        &self.def
    }

    /// The bytes that the definition came in: they may hold fields that [`def`](Self::def) does not know.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The signature.
    pub fn spec(&self) -> &Arc<OpSpec> {
        &self.spec
    }

    /// The attributes of the nodes, in order.
    pub(crate) fn node_attrs(&self) -> Result<&[NodeAttrs]> {
        self.node_attrs
            .get_or_init(|| self.def.node_def.iter().map(read_attrs).collect())
            .as_deref()
            .map_err(Clone::clone)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Function({}, {} nodes)",
            self.name(),
            self.def.node_def.len()
        )
    }
}

/// What a node says of its attributes: internal ones are hints to TensorFlow's graph rewriters, and a value that is
/// not set means the default.
fn read_attrs(node: &NodeDef) -> Result<NodeAttrs> {
    node.attr
        .iter()
        .filter(|(name, value)| !name.starts_with('_') && value.value.is_some())
        .map(|(name, value)| Ok((name.as_str().into(), attr_value_from_proto(value)?)))
        .collect::<Result<_>>()
        .map_err(|e| e.with_context(format_args!("In {{{{node {}}}}}", node.name)))
}
