//! From an `OpDef` message to an [`OpSpec`].

use std::borrow::Cow;

use tfe_core::{DTypeSet, DataType, Result, bail, ensure, err};
use tfe_proto::Message as _;
use tfe_proto::tensorflow as pb;
use tfe_proto::tensorflow::attr_value::{ListValue, Value};

use crate::proto::attr_value_from_proto_as;
use crate::{
    Allowed, ArgCount, ArgSpec, ArgType, AttrKind, AttrSpec, Fingerprint128, OpId, OpSpec,
};

impl OpSpec {
    /// The spec of a definition, or of a function's signature.
    ///
    /// Only what a spec needs is checked; [`OpRegistry::register`](crate::OpRegistry::register) checks all that
    /// TensorFlow does. An attribute of a type that TensorFlow does not have takes any value.
    ///
    /// # Errors
    /// `InvalidArgument` when an argument has no type, an attribute is missing or of the wrong type, or there are more
    /// than 65,535 of them.
    ///
    /// ```
    /// use tfe_ops::{AttrKind, OpSpec};
    /// use tfe_proto::tensorflow::{OpDef, op_def::{ArgDef, AttrDef}};
    ///
    /// let signature = OpDef {
    ///     name: "my_function".into(),
    ///     input_arg: vec![ArgDef { name: "x".into(), type_attr: "T".into(), ..ArgDef::default() }],
    ///     attr: vec![AttrDef { name: "T".into(), r#type: "type".into(), ..AttrDef::default() }],
    ///     ..OpDef::default()
    /// };
    /// let spec = OpSpec::from_op_def(&signature)?;
    /// assert_eq!(spec.attr("T").unwrap().kind, AttrKind::Type);
    /// # Ok::<(), tfe_core::Error>(())
    /// ```
    pub fn from_op_def(def: &pb::OpDef) -> Result<Self> {
        Self::from_parts(def, def.encode_to_vec().into())
    }

    pub(crate) fn from_parts(def: &pb::OpDef, source: Cow<'static, [u8]>) -> Result<Self> {
        let most = [def.attr.len(), def.input_arg.len(), def.output_arg.len()];
        ensure!(
            most.iter().all(|&n| n <= usize::from(u16::MAX)),
            InvalidArgument,
            "op {} has more than 65535 attrs, inputs or outputs",
            def.name
        );
        let attrs = def.attr.iter().map(|a| attr(a, &def.name));
        let attrs = attrs.collect::<Result<Box<[_]>>>()?;
        let args = |args: &[pb::op_def::ArgDef]| -> Result<Box<[ArgSpec]>> {
            args.iter().map(|a| arg(a, &attrs, &def.name)).collect()
        };
        let base = attrs.iter().map(AttrSpec::default_contribution).fold(
            Fingerprint128::of(def.name.as_bytes()),
            Fingerprint128::plus,
        );
        Ok(Self {
            id: OpId::NONE,
            name: def.name.as_str().into(),
            inputs: args(&def.input_arg)?,
            outputs: args(&def.output_arg)?,
            control_outputs: def
                .control_output
                .iter()
                .map(|n| n.as_str().into())
                .collect(),
            is_stateful: def.is_stateful,
            is_commutative: def.is_commutative,
            is_aggregate: def.is_aggregate,
            allows_uninitialized_input: def.allows_uninitialized_input,
            is_distributed_communication: def.is_distributed_communication,
            deprecated_since: def.deprecation.as_ref().map(|d| d.version),
            base,
            source,
            attrs,
        })
    }
}

fn attr(def: &pb::op_def::AttrDef, op: &str) -> Result<AttrSpec> {
    let (kind, is_list) = AttrKind::parse(&def.r#type).unwrap_or((AttrKind::Placeholder, false));
    let place = |e: tfe_core::Error| e.with_context(format_args!("attr '{}' of op {op}", def.name));
    let default = def
        .default_value
        .as_ref()
        .map(|v| attr_value_from_proto_as(v, kind, is_list))
        .transpose()
        .map_err(place)?;
    let allowed = match &def.allowed_values {
        None => Allowed::Any,
        Some(values) => allowed(values).map_err(place)?,
    };
    let minimum = def.has_minimum.then_some(def.minimum);
    Ok(AttrSpec::new(
        &def.name,
        (kind, is_list),
        default,
        allowed,
        minimum,
    ))
}

fn allowed(values: &pb::AttrValue) -> Result<Allowed> {
    match &values.value {
        Some(Value::List(ListValue { s, .. })) if !s.is_empty() => Ok(Allowed::Strings(
            s.iter().map(|s| s.as_slice().into()).collect(),
        )),
        Some(Value::List(list)) => list
            .r#type
            .iter()
            .map(|&number| {
                DataType::from_number(number)
                    .ok_or_else(|| err!(InvalidArgument, "no data type has number {number}"))
            })
            .collect::<Result<DTypeSet>>()
            .map(Allowed::Types),
        _ => bail!(InvalidArgument, "allowed values are not a list"),
    }
}

fn arg(def: &pb::op_def::ArgDef, attrs: &[AttrSpec], op: &str) -> Result<ArgSpec> {
    let slot = |name: &str, kind: AttrKind, is_list: bool| {
        let slot = attrs.iter().position(|a| *a.name == *name);
        slot.filter(|&slot| (attrs[slot].kind, attrs[slot].is_list) == (kind, is_list))
            .ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "argument '{}' of op {op} needs an attr '{name}' of type {}",
                    def.name,
                    kind.name_as(is_list)
                )
            })
    };
    let (dtype, count) = if def.type_list_attr.is_empty() {
        let dtype = if def.type_attr.is_empty() {
            let dtype = DataType::from_number(def.r#type).ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "argument '{}' of op {op} has no type",
                    def.name
                )
            })?;
            ArgType::Fixed(dtype)
        } else {
            ArgType::Attr(slot(&def.type_attr, AttrKind::Type, false)?)
        };
        let count = if def.number_attr.is_empty() {
            ArgCount::One
        } else {
            ArgCount::Number(slot(&def.number_attr, AttrKind::Int, false)?)
        };
        (dtype, count)
    } else {
        let slot = slot(&def.type_list_attr, AttrKind::Type, true)?;
        (ArgType::Attr(slot), ArgCount::TypeList(slot))
    };
    Ok(ArgSpec {
        name: def.name.as_str().into(),
        dtype,
        count,
        is_ref: def.is_ref,
    })
}
