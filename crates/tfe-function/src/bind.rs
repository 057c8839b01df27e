//! Binding of attributes: placeholders take the values that the function was called with.

use std::collections::BTreeMap;

use tfe_core::{DataType, Result, bail, ensure, err};
use tfe_ops::{ArgCount, ArgSpec, ArgType, AttrValue, FuncAttr, OpSpec};

use crate::function::NodeAttrs;

/// Values of attributes by name.
pub(crate) type Attributes = BTreeMap<Box<str>, AttrValue>;

/// The types of a list of values; `None` for what is no data type.
pub(crate) type Types = Vec<Option<DataType>>;

/// An argument of more tensors is refused: a number in a definition must not take memory out of proportion.
pub(crate) const MOST_TENSORS: usize = 1 << 16;

/// The attributes of a call of `spec`: those given, and defaults.
///
/// # Errors
/// `NotFound` for one that has neither, `InvalidArgument` for one of the wrong type.
pub(crate) fn signature_attrs<'v>(
    spec: &OpSpec,
    given: impl IntoIterator<Item = (&'v str, &'v AttrValue)>,
) -> Result<Attributes> {
    let given = given.into_iter().map(|(n, v)| (n.into(), v.clone()));
    let mut attrs: Attributes = given.collect();
    for (slot, attr) in spec.attrs.iter().enumerate() {
        match attrs.get(&attr.name) {
            Some(value) => spec.check_attr(slot, value)?,
            None => ensure!(
                attr.default.is_some(),
                NotFound,
                "Attr {} is not found from {}",
                attr.name,
                spec.summary()
            ),
        }
    }
    add_defaults(spec, &mut attrs);
    Ok(attrs)
}

/// The attributes of a node of a function that was called with the attributes `outer`.
///
/// # Errors
/// `InvalidArgument` when a placeholder names no attribute of the function.
pub(crate) fn node_attrs(node: &NodeAttrs, outer: &Attributes) -> Result<Attributes> {
    node.iter()
        .map(|(name, value)| match bind(value, outer) {
            Some(bound) => Ok((name.clone(), bound)),
            None => bail!(
                InvalidArgument,
                "Failed to bind all placeholders in {value}"
            ),
        })
        .collect()
}

/// Fills in what has a default and no value.
pub(crate) fn add_defaults(spec: &OpSpec, attrs: &mut Attributes) {
    for attr in &spec.attrs {
        if let Some(default) = &attr.default
            && !attrs.contains_key(&attr.name)
        {
            attrs.insert(attr.name.clone(), default.clone());
        }
    }
}

fn bind(value: &AttrValue, outer: &Attributes) -> Option<AttrValue> {
    match value {
        AttrValue::Placeholder(name) => outer.get(name).cloned(),
        AttrValue::Func(func) => bind_func(func, outer).map(AttrValue::from),
        AttrValue::Funcs(funcs) => {
            let funcs = funcs.iter().map(|f| bind_func(f, outer));
            funcs.collect::<Option<Vec<_>>>().map(AttrValue::from)
        }
        _ => Some(value.clone()),
    }
}

fn bind_func(func: &FuncAttr, outer: &Attributes) -> Option<FuncAttr> {
    func.attrs()
        .try_fold(FuncAttr::new(&func.name), |f, (name, value)| {
            Some(f.with(name, bind(value, outer)?))
        })
}

/// The types of the tensors of an argument.
///
/// # Errors
/// `NotFound` when an attribute has no value; TensorFlow infers nothing here.
pub(crate) fn arg_types(spec: &OpSpec, arg: &ArgSpec, attrs: &Attributes) -> Result<Types> {
    let find = |slot: usize, kind: &str| {
        let name = &spec.attrs[slot].name;
        attrs
            .get(name)
            .ok_or_else(|| err!(NotFound, "{kind} attr not found: {name}"))
    };
    let count = match arg.count {
        ArgCount::One => 1,
        ArgCount::TypeList(slot) => {
            return match find(slot, "type list")? {
                AttrValue::Types(types) => {
                    check_count(arg, types.len())?;
                    Ok(types.iter().map(|&t| DataType::from_number(t)).collect())
                }
                _ => Ok(Types::new()),
            };
        }
        ArgCount::Number(slot) => match find(slot, "number")? {
            AttrValue::Int(n) => usize::try_from(*n).map_err(|_| {
                err!(
                    InvalidArgument,
                    "Value for attr '{}' of {n} must be at least minimum 0",
                    spec.attrs[slot].name
                )
            })?,
            _ => 0,
        },
    };
    check_count(arg, count)?;
    let dtype = match arg.dtype {
        ArgType::Fixed(dtype) => Some(dtype),
        ArgType::Attr(slot) => match find(slot, "type")? {
            AttrValue::Type(number) => DataType::from_number(*number),
            _ => None,
        },
    };
    Ok(vec![dtype; count])
}

fn check_count(arg: &ArgSpec, count: usize) -> Result<()> {
    ensure!(
        count <= MOST_TENSORS,
        InvalidArgument,
        "argument '{}' would have {count} tensors; at most {MOST_TENSORS} are supported",
        arg.name
    );
    Ok(())
}

/// Types as messages list them.
pub(crate) fn type_names(types: &[Option<DataType>]) -> String {
    let names: Vec<_> = types.iter().map(|&t| type_name(t)).collect();
    names.join(", ")
}

pub(crate) fn type_name(dtype: Option<DataType>) -> &'static str {
    dtype.map_or("INVALID", DataType::name)
}

#[cfg(test)]
mod tests {
    use tfe_core::Code;
    use tfe_ops::ops;

    use super::*;

    fn attrs(list: &[(&str, AttrValue)]) -> Attributes {
        list.iter().map(|(n, v)| ((*n).into(), v.clone())).collect()
    }

    #[test]
    fn placeholders_are_bound_at_every_depth() {
        let outer = attrs(&[("T", DataType::Half.into())]);
        let hole = || AttrValue::Placeholder("T".into());
        let func = FuncAttr::new("f").with("inner", FuncAttr::new("g").with("U", hole()));
        let bound = bind(&func.into(), &outer).expect("bound");
        assert_eq!(bound.to_string(), "f[inner=g[U=DT_HALF]]");
        let lost = vec![("T".into(), AttrValue::Placeholder("U".into()))];
        let e = node_attrs(&lost, &outer).expect_err("no such attribute");
        assert_eq!(e.code(), Code::InvalidArgument);
        assert_eq!(e.message(), "Failed to bind all placeholders in $U");
    }

    #[test]
    fn counts_out_of_proportion_are_refused() {
        let split = ops::SPLIT.spec();
        let types = |n: i64| {
            let attrs = attrs(&[("T", DataType::Float.into()), ("num_split", n.into())]);
            arg_types(split, &split.outputs[0], &attrs).map_err(|e| e.code())
        };
        assert_eq!(types(2), Ok(vec![Some(DataType::Float); 2]));
        assert_eq!(types(0), Ok(vec![]));
        assert_eq!(types(-1), Err(Code::InvalidArgument));
        assert_eq!(types(i64::MAX), Err(Code::InvalidArgument));
    }

    #[test]
    fn missing_attributes_are_named() {
        let neg = ops::NEG.spec();
        let e = arg_types(neg, &neg.inputs[0], &Attributes::new()).expect_err("no T");
        assert_eq!(
            (e.code(), e.message()),
            (Code::NotFound, "type attr not found: T")
        );
        let e = signature_attrs(neg, []).expect_err("no T");
        assert_eq!(e.code(), Code::NotFound);
        assert!(
            e.message()
                .starts_with("Attr T is not found from Op<name=Neg;")
        );
    }
}
