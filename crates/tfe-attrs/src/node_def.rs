//! Builders from and to `NodeDef` messages.

use tfe_core::{Result, ensure};
use tfe_ops::{attr_value_from_proto, attr_value_from_proto_as, attr_value_to_proto};
use tfe_proto::tensorflow as pb;

use crate::{AttrBuilder, SpecRef};

impl<'a> AttrBuilder<'a> {
    /// A builder with the attributes and the number of inputs of a node.
    ///
    /// The node does not say what types its inputs have, so nothing is inferred. Control inputs are not counted.
    ///
    /// # Errors
    /// `InvalidArgument` when the node is of another op, or a value in it is malformed.
    ///
    /// ```
    /// use tfe_attrs::AttrBuilder;
    /// use tfe_core::DataType;
    /// use tfe_ops::ops;
    ///
    /// let mut relu = AttrBuilder::new(ops::RELU.spec());
    /// relu.add_input(DataType::Float)?;
    /// let node = relu.build_node_def();
    /// assert_eq!(node.input, ["dummy_input"]);
    /// let again = AttrBuilder::from_node_def(ops::RELU.spec(), &node)?;
    /// assert_eq!(again.cache_key("CPU:0"), relu.cache_key("CPU:0"));
    /// # Ok::<(), tfe_core::Error>(())
    /// ```
    pub fn from_node_def(spec: impl Into<SpecRef<'a>>, node: &pb::NodeDef) -> Result<Self> {
        let mut builder = Self::new(spec);
        ensure!(
            node.op == *builder.spec().name,
            InvalidArgument,
            "NodeDef op '{}' does not match {}; NodeDef: {{{{node {}}}}}",
            node.op,
            builder.spec().summary(),
            node.name
        );
        if node.name != node.op && !node.name.is_empty() {
            builder.set_node_name(&node.name);
        }
        for (name, value) in &node.attr {
            builder.set_proto(name, value)?;
        }
        let inputs = node.input.iter().filter(|input| !input.starts_with('^'));
        builder.num_inputs(inputs.count());
        Ok(builder)
    }

    /// Sets an attribute from its message, unless it has a value already.
    ///
    /// # Errors
    /// `InvalidArgument` when the message has no value (a list may: it is empty then), or a malformed one.
    pub fn set_proto(&mut self, name: &str, value: &pb::AttrValue) -> Result<&mut Self> {
        let value = match self.spec().attr(name) {
            Some(attr) => attr_value_from_proto_as(value, attr.kind, attr.is_list),
            // Nothing that anyone reads, and nothing said.
            None if value.value.is_none() => return Ok(self),
            None => attr_value_from_proto(value),
        };
        let value = value.map_err(|e| e.with_context(format_args!(" for attr '{name}'")))?;
        Ok(self.set(name, value))
    }

    /// The call as a node: named as the op (or as the node that it came from), with an input `dummy_input` for each
    /// input, and the attributes that were set or inferred.
    ///
    /// A tensor that no message can hold is left without a value; [`finish`](Self::finish) refuses it.
    pub fn build_node_def(&self) -> pb::NodeDef {
        let attrs = self.set_values().map(|(name, value)| {
            let value = attr_value_to_proto(value).unwrap_or_default();
            (name.to_owned(), value)
        });
        pb::NodeDef {
            name: self.node_name().to_owned(),
            op: self.spec().name().to_owned(),
            input: vec!["dummy_input".to_owned(); self.input_count()],
            attr: attrs.collect(),
            ..pb::NodeDef::default()
        }
    }
}
