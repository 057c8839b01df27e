//! `FunctionBuilder`: definitions of functions, written in code.

use tfe_core::{DataType, Error, Result, Tensor};
use tfe_ops::{AttrKind, AttrValue, attr_value_to_proto};
use tfe_proto::tensorflow::op_def::{ArgDef, AttrDef};
use tfe_proto::tensorflow::{FunctionDef, NodeDef, OpDef};

/// Builds a `FunctionDef` piece by piece.
///
/// Values are named as in the definition itself: `x` is an input of the function, `node:output` and
/// `node:output:index` an output of a node, `^node` (after all other inputs of a node) something to wait for.
///
/// ```
/// use tfe_core::{DataType, Tensor};
/// use tfe_function::FunctionBuilder;
///
/// // |x, y| (2 * x + y, x)
/// let float = || ("T", DataType::Float.into());
/// let def = FunctionBuilder::new("Affine")
///     .input("x", DataType::Float)
///     .input("y", DataType::Float)
///     .constant("two", Tensor::scalar(2.0f32)?)
///     .node("double", "Mul", &["two:output", "x"], &[float()])
///     .node("sum", "AddV2", &["double:z", "y"], &[float()])
///     .output("result", DataType::Float, "sum:z")
///     .output("unchanged", DataType::Float, "x")
///     .build()?;
/// assert_eq!(def.node_def.len(), 3);
/// # Ok::<(), tfe_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FunctionBuilder {
    signature: OpDef,
    def: FunctionDef,
    /// The first thing that went wrong; reported by `build`, so that calls can be chained.
    failed: Option<Error>,
}

impl FunctionBuilder {
    /// A function without inputs, outputs and nodes.
    pub fn new(name: &str) -> Self {
        Self {
            signature: OpDef {
                name: name.to_owned(),
                ..OpDef::default()
            },
            def: FunctionDef::default(),
            failed: None,
        }
    }

    /// Adds an input of one tensor.
    #[must_use]
    pub fn input(mut self, name: &str, dtype: DataType) -> Self {
        self.signature.input_arg.push(typed(name, dtype));
        self
    }

    /// Adds an input as an `ArgDef` describes it: a list, or of a type that an attribute gives.
    #[must_use]
    pub fn input_arg(mut self, arg: ArgDef) -> Self {
        self.signature.input_arg.push(arg);
        self
    }

    /// Adds an output of one tensor, which is that value.
    #[must_use]
    pub fn output(self, name: &str, dtype: DataType, value: &str) -> Self {
        self.output_arg(typed(name, dtype), value)
    }

    /// Adds an output as an `ArgDef` describes it, which is that value.
    #[must_use]
    pub fn output_arg(mut self, arg: ArgDef, value: &str) -> Self {
        self.def.ret.insert(arg.name.clone(), value.to_owned());
        self.signature.output_arg.push(arg);
        self
    }

    /// Adds a control output: the function is not done before that node is.
    #[must_use]
    pub fn control_output(mut self, name: &str, node: &str) -> Self {
        self.signature.control_output.push(name.to_owned());
        self.def
            .control_ret
            .insert(name.to_owned(), node.to_owned());
        self
    }

    /// Adds an attribute of the function, without a default. Nodes take its value by
    /// [`AttrValue::Placeholder`].
    #[must_use]
    pub fn attr(mut self, name: &str, kind: AttrKind, is_list: bool) -> Self {
        self.signature.attr.push(AttrDef {
            name: name.to_owned(),
            r#type: kind.name_as(is_list).to_owned(),
            ..AttrDef::default()
        });
        self
    }

    /// Adds an attribute of the function, with a default.
    #[must_use]
    pub fn attr_with_default(mut self, name: &str, default: impl Into<AttrValue>) -> Self {
        let default = default.into();
        let kind = default.type_name().to_owned();
        match attr_value_to_proto(&default) {
            Ok(value) => self.signature.attr.push(AttrDef {
                name: name.to_owned(),
                r#type: kind,
                default_value: Some(value),
                ..AttrDef::default()
            }),
            Err(e) => self.fail(e),
        }
        self
    }

    /// Says that calls of the function have effects: they are made even where nothing needs their outputs.
    #[must_use]
    pub fn stateful(mut self) -> Self {
        self.signature.is_stateful = true;
        self
    }

    /// Adds a node: an op, or a call of a function.
    #[must_use]
    pub fn node(
        mut self,
        name: &str,
        op: &str,
        inputs: &[&str],
        attrs: &[(&str, AttrValue)],
    ) -> Self {
        let mut node = NodeDef {
            name: name.to_owned(),
            op: op.to_owned(),
            input: inputs.iter().map(|&i| i.to_owned()).collect(),
            ..NodeDef::default()
        };
        for (attr, value) in attrs {
            match attr_value_to_proto(value) {
                Ok(value) => {
                    node.attr.insert((*attr).to_owned(), value);
                }
                Err(e) => self.fail(e),
            }
        }
        self.def.node_def.push(node);
        self
    }

    /// Adds a `Const` node; its value is `name:output`.
    #[must_use]
    pub fn constant(self, name: &str, value: Tensor) -> Self {
        let dtype = value.dtype();
        self.node(
            name,
            "Const",
            &[],
            &[("dtype", dtype.into()), ("value", value.into())],
        )
    }

    /// Asks for a device for the node that was added last.
    #[must_use]
    pub fn on(mut self, device: &str) -> Self {
        if let Some(node) = self.def.node_def.last_mut() {
            node.device = device.to_owned();
        }
        self
    }

    /// The definition.
    ///
    /// Nothing is checked but the attributes: whether names and types fit shows when the function is called.
    ///
    /// # Errors
    /// `InvalidArgument` when an attribute holds a tensor that cannot be written down.
    pub fn build(self) -> Result<FunctionDef> {
        match self.failed {
            Some(e) => Err(e),
            None => Ok(FunctionDef {
                signature: Some(self.signature),
                ..self.def
            }),
        }
    }

    fn fail(&mut self, e: Error) {
        self.failed.get_or_insert(e);
    }
}

fn typed(name: &str, dtype: DataType) -> ArgDef {
    ArgDef {
        name: name.to_owned(),
        r#type: dtype.number(),
        ..ArgDef::default()
    }
}
