//! Which types the attributes of an op have.

use tfe_core::{Result, err};
use tfe_ops::{AttrKind, OpRegistry, OpSpec};

/// The types of an op's attributes, by name: a view of its definition.
///
/// ```
/// use tfe_attrs::{AttrKind, attr_type_by_name, attr_type_map_for_op};
/// use tfe_ops::OpRegistry;
///
/// let ops = OpRegistry::new();
/// let map = attr_type_map_for_op(&ops, "Squeeze")?;
/// assert_eq!(attr_type_by_name(map, "squeeze_dims")?, (AttrKind::Int, true));
/// # Ok::<(), tfe_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AttrTypeMap<'a>(&'a OpSpec);

impl<'a> AttrTypeMap<'a> {
    /// Set in an [encoded](Self::encoded) type that is a list.
    pub const IS_LIST: u32 = 1 << 31;

    /// The types, as kind and whether it is a list, in order of definition.
    pub fn iter(self) -> impl ExactSizeIterator<Item = (&'a str, AttrKind, bool)> {
        self.0.attrs.iter().map(|a| (&*a.name, a.kind, a.is_list))
    }

    /// The type of one attribute as the number of its `TF_AttrType`, with [`IS_LIST`](Self::IS_LIST) for lists.
    pub fn encoded(self, name: &str) -> Option<u32> {
        let attr = self.0.attr(name)?;
        let list = if attr.is_list { Self::IS_LIST } else { 0 };
        Some(attr.kind as u32 | list)
    }
}

impl<'a> From<&'a OpSpec> for AttrTypeMap<'a> {
    fn from(spec: &'a OpSpec) -> Self {
        Self(spec)
    }
}

/// The types of the attributes of the op of that name.
///
/// # Errors
/// `NotFound` when there is no such op.
pub fn attr_type_map_for_op<'r>(registry: &'r OpRegistry, op: &str) -> Result<AttrTypeMap<'r>> {
    find_op(registry, op).map(AttrTypeMap)
}

/// The kind of the attribute of that name, and whether it is a list. Takes a map, or the definition itself.
///
/// # Errors
/// `InvalidArgument` when there is no such attribute.
pub fn attr_type_by_name<'a>(
    map: impl Into<AttrTypeMap<'a>>,
    name: &str,
) -> Result<(AttrKind, bool)> {
    let attr = map.into().0.attr(name).ok_or_else(|| {
        err!(
            InvalidArgument,
            "Attribute '{name}' does not exist for this operation"
        )
    })?;
    Ok((attr.kind, attr.is_list))
}

/// The definition of the op of that name.
///
/// # Errors
/// `NotFound` when there is no such op.
pub fn find_op<'r>(registry: &'r OpRegistry, op: &str) -> Result<&'r OpSpec> {
    registry.find(op)
}

#[cfg(test)]
mod tests {
    use tfe_core::Code;

    use super::*;

    /// `AttrTypeMap.Lookup` of TensorFlow's runtime_test.cc.
    #[test]
    fn lookup() {
        let ops = OpRegistry::new();
        let e = attr_type_map_for_op(&ops, "ThisOpCannotPossiblyExist").expect_err("unknown");
        assert_eq!(e.code(), Code::NotFound);

        let map = attr_type_map_for_op(&ops, "MatMul").expect("an op");
        let e = attr_type_by_name(map, "ThisAttribyteCannotPossiblyExist").expect_err("unknown");
        assert_eq!(e.code(), Code::InvalidArgument);
        assert_eq!(
            e.message(),
            "Attribute 'ThisAttribyteCannotPossiblyExist' does not exist for this operation"
        );
        let found = attr_type_by_name(map, "transpose_a").expect("an attribute");
        assert_eq!(found, (AttrKind::Bool, false));

        let map = attr_type_map_for_op(&ops, "Squeeze").expect("an op");
        let found = attr_type_by_name(map, "squeeze_dims").expect("an attribute");
        assert_eq!(found, (AttrKind::Int, true));
        assert_eq!(map.encoded("squeeze_dims"), Some(1 << 31 | 1));
        assert_eq!(map.encoded("T"), Some(4));
        assert_eq!(map.encoded("axis"), None);
    }

    #[test]
    fn types_recorded_from_tensorflow() {
        let ops = OpRegistry::new();
        let recorded = [
            ("MatMul", "T", AttrKind::Type, false),
            ("Const", "value", AttrKind::Tensor, false),
            ("Const", "dtype", AttrKind::Type, false),
            ("VarHandleOp", "shape", AttrKind::Shape, false),
            ("If", "then_branch", AttrKind::Func, false),
            ("Case", "branches", AttrKind::Func, true),
            ("If", "output_shapes", AttrKind::Shape, true),
            ("IdentityN", "T", AttrKind::Type, true),
            ("Split", "num_split", AttrKind::Int, false),
            ("Concat", "N", AttrKind::Int, false),
            ("Bucketize", "boundaries", AttrKind::Float, true),
        ];
        for (op, name, kind, is_list) in recorded {
            let map = attr_type_map_for_op(&ops, op).expect("an op");
            let found = attr_type_by_name(map, name).expect("an attribute");
            assert_eq!(found, (kind, is_list), "{op}.{name}");
            assert!(map.iter().any(|(n, ..)| n == name));
        }
    }
}
