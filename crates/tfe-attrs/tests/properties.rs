//! What a key must and must not depend on, over random calls of all ops.

use proptest::collection::vec;
use proptest::prelude::*;
use tfe_attrs::{AttrBuilder, AttrKind, AttrValue, CacheKey, FuncAttr};
use tfe_core::{DataType, PartialShape, TString, Tensor};
use tfe_ops::{OpId, OpSpec};
use tfe_proto::Message as _;
use tfe_proto::tensorflow::NodeDef;

/// A call that nothing was inferred for: all that its key is made of.
#[derive(Clone, Debug)]
struct Call {
    op: OpId,
    device: String,
    inputs: usize,
    /// By name, each once.
    attrs: Vec<(String, AttrValue)>,
}

impl Call {
    fn spec(&self) -> &'static OpSpec {
        self.op.spec()
    }

    fn builder(&self) -> AttrBuilder<'static> {
        let mut builder = AttrBuilder::new(self.spec());
        builder.num_inputs(self.inputs);
        for (name, value) in &self.attrs {
            builder.set(name, value.clone());
        }
        builder
    }

    fn key(&self) -> CacheKey {
        self.builder().cache_key(self.device.as_str())
    }

    /// The value that counts for an attribute: the one set, or the default.
    fn effective(&self, name: &str) -> Option<&AttrValue> {
        let set = self.attrs.iter().find(|(n, _)| n == name);
        match set {
            Some((_, value)) => Some(value),
            None => self.spec().attr(name)?.default.as_ref(),
        }
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z0-9_/:]{0,12}", ".{0,40}"]
}

fn float() -> impl Strategy<Value = f32> {
    let odd = prop_oneof![
        Just(0.0f32),
        Just(-0.0),
        Just(f32::NAN),
        Just(f32::INFINITY)
    ];
    prop_oneof![any::<u32>().prop_map(f32::from_bits), odd]
}

fn dtype() -> impl Strategy<Value = DataType> {
    proptest::sample::select(DataType::ALL)
}

fn shape() -> impl Strategy<Value = PartialShape> {
    let known = vec(-1i64..5, 0..4).prop_map(|dims| PartialShape::of(&dims));
    prop_oneof![Just(PartialShape::unknown()), known]
}

fn tensor() -> impl Strategy<Value = Tensor> {
    let floats = vec(float(), 0..6).prop_map(|v| Tensor::vector(&v));
    let ints = any::<i64>().prop_map(Tensor::scalar);
    let strings = vec(text(), 0..4).prop_map(|v| {
        let v: Vec<TString> = v.into_iter().map(TString::from).collect();
        Tensor::vector(&v)
    });
    prop_oneof![floats, ints, strings].prop_map(|t| t.expect("a tensor"))
}

fn func() -> impl Strategy<Value = FuncAttr> {
    let attr = prop_oneof![
        any::<i64>().prop_map(AttrValue::from),
        dtype().prop_map(AttrValue::from)
    ];
    (text(), vec(("[a-c]", attr), 0..3)).prop_map(|(name, attrs)| {
        let start = FuncAttr::new(&name);
        attrs
            .into_iter()
            .fold(start, |f, (name, value)| f.with(&name, value))
    })
}

/// A value of that kind.
fn value_of(kind: AttrKind, is_list: bool) -> BoxedStrategy<AttrValue> {
    fn either<T: std::fmt::Debug + 'static>(
        is_list: bool,
        one: impl Strategy<Value = T> + 'static,
    ) -> BoxedStrategy<AttrValue>
    where
        AttrValue: From<T> + From<Vec<T>>,
    {
        match is_list {
            true => vec(one, 0..5).prop_map(AttrValue::from).boxed(),
            false => one.prop_map(AttrValue::from).boxed(),
        }
    }
    match kind {
        AttrKind::String if is_list => {
            let list = vec(text(), 0..5);
            list.prop_map(|v| {
                v.iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .as_slice()
                    .into()
            })
            .boxed()
        }
        AttrKind::String => text().prop_map(AttrValue::from).boxed(),
        AttrKind::Int => either(is_list, prop_oneof![-3i64..100, any::<i64>()]),
        AttrKind::Float => either(is_list, float()),
        AttrKind::Bool => either(is_list, any::<bool>()),
        AttrKind::Type => either(is_list, dtype()),
        AttrKind::Shape => either(is_list, shape()),
        AttrKind::Tensor => either(is_list, tensor()),
        AttrKind::Func => either(is_list, func()),
        AttrKind::Placeholder => text()
            .prop_map(|t| AttrValue::Placeholder(t.as_str().into()))
            .boxed(),
    }
}

/// A value of whatever kind.
fn any_value() -> BoxedStrategy<AttrValue> {
    let kinds = [
        AttrKind::String,
        AttrKind::Int,
        AttrKind::Float,
        AttrKind::Bool,
        AttrKind::Type,
        AttrKind::Shape,
        AttrKind::Tensor,
        AttrKind::Placeholder,
        AttrKind::Func,
    ];
    (proptest::sample::select(kinds.to_vec()), any::<bool>())
        .prop_flat_map(|(kind, is_list)| value_of(kind, is_list))
        .boxed()
}

/// The call of some op, with some of its attributes set (mostly rightly), and some that it does not have.
fn call() -> impl Strategy<Value = Call> {
    let op = (0..OpId::BUILTIN).prop_map(|i| OpId::all().nth(i).expect("an op"));
    let attrs = op.prop_flat_map(|op| {
        let declared: Vec<_> = op
            .spec()
            .attrs
            .iter()
            .map(|attr| {
                let right = value_of(attr.kind, attr.is_list);
                let value = prop_oneof![9 => right, 1 => any_value()];
                proptest::option::of((Just(attr.name.to_string()), value))
            })
            .collect();
        let extra = proptest::option::of(("_[a-z]{1,6}", any_value()));
        (Just(op), declared, extra)
    });
    (attrs, text(), 0usize..20).prop_map(|((op, declared, extra), device, inputs)| {
        let attrs = declared.into_iter().flatten().chain(extra).collect();
        Call {
            op,
            device,
            inputs,
            attrs,
        }
    })
}

#[track_caller]
fn assert_apart(a: &Call, b: &Call) {
    let (x, y) = (a.key(), b.key());
    assert!(x.lo != y.lo, "low halves agree: {a:?} and {b:?}");
    assert!(x.hi != y.hi, "high halves agree: {a:?} and {b:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn the_order_of_setting_does_not_matter(
        (a, shuffled) in call().prop_flat_map(|c| (Just(c.clone()), Just(c.attrs).prop_shuffle()))
    ) {
        let b = Call { attrs: shuffled, ..a.clone() };
        prop_assert_eq!(a.key(), b.key());
    }

    #[test]
    fn the_op_matters(a in call(), other in 0..OpId::BUILTIN) {
        let b = Call { op: OpId::all().nth(other).expect("an op"), ..a.clone() };
        prop_assume!(a.op != b.op);
        assert_apart(&a, &b);
    }

    #[test]
    fn the_device_matters(a in call(), device in text()) {
        prop_assume!(a.device != device);
        assert_apart(&a, &Call { device, ..a.clone() });
    }

    #[test]
    fn the_number_of_inputs_matters(a in call(), inputs in 0usize..40) {
        prop_assume!(a.inputs != inputs);
        assert_apart(&a, &Call { inputs, ..a.clone() });
    }

    #[test]
    fn values_and_their_kinds_matter(a in call(), at in any::<prop::sample::Index>(), value in any_value()) {
        prop_assume!(!a.attrs.is_empty());
        let at = at.index(a.attrs.len());
        prop_assume!(a.attrs[at].1 != value);
        let mut b = a.clone();
        b.attrs[at].1 = value;
        assert_apart(&a, &b);
    }

    #[test]
    fn names_matter(a in call(), at in any::<prop::sample::Index>(), name in "[a-zA-Z_]{1,8}") {
        prop_assume!(!a.attrs.is_empty());
        let at = at.index(a.attrs.len());
        let mut b = a.clone();
        let (old, value) = std::mem::replace(&mut b.attrs[at], (name.clone(), a.attrs[at].1.clone()));
        // Another call only when the value is not one that either name has without being set.
        prop_assume!(a.effective(&name) != Some(&value) && b.effective(&old) != Some(&value));
        assert_apart(&a, &b);
    }

    #[test]
    fn setting_and_not_setting_differ(a in call(), name in "_[0-9]{1,4}", value in any_value()) {
        let mut b = a.clone();
        b.attrs.push((name, value));
        assert_apart(&a, &b);
    }

    #[test]
    fn lengths_of_lists_matter(a in call(), list in vec(0i64..2, 0..6), more in 0i64..2) {
        let with = |list: Vec<i64>| {
            let mut call = a.clone();
            call.attrs.push(("_list".into(), list.into()));
            call
        };
        let longer = list.iter().copied().chain([more]).collect();
        assert_apart(&with(list), &with(longer));
    }

    #[test]
    fn floats_count_by_their_bits(a in call(), bits in any::<u32>(), bit in 0u32..32) {
        let with = |bits: u32| {
            let mut call = a.clone();
            call.attrs.push(("_float".into(), f32::from_bits(bits).into()));
            call
        };
        assert_apart(&with(bits), &with(bits ^ (1 << bit)));
        assert_apart(&with(0.0f32.to_bits()), &with((-0.0f32).to_bits()));
        // Two NaNs that differ in their payload alone.
        let nan = f32::NAN.to_bits() | bits & 0x3f_ffff;
        assert_apart(&with(nan), &with(nan ^ (1 << (bit % 22))));
    }

    #[test]
    fn setting_a_default_changes_nothing(a in call()) {
        let mut b = a.clone();
        for attr in &a.spec().attrs {
            let free = a.attrs.iter().all(|(name, _)| **name != *attr.name);
            if let (true, Some(default)) = (free, &attr.default) {
                b.attrs.push((attr.name.to_string(), default.clone()));
            }
        }
        prop_assert_eq!(a.key(), b.key());
    }

    #[test]
    fn the_first_value_wins(a in call(), late in any_value()) {
        let mut builder = a.builder();
        for (name, _) in &a.attrs {
            builder.set(name, late.clone());
        }
        prop_assert_eq!(builder.cache_key(a.device.as_str()), a.key());
    }

    #[test]
    fn a_node_keeps_the_key(a in call()) {
        let builder = a.builder();
        let node = builder.build_node_def();
        prop_assert_eq!(node.input.len(), a.inputs);
        // As bytes, because messages with a NaN are not equal to themselves.
        let bytes = node.encode_to_vec();
        let node = NodeDef::decode(&*bytes).expect("what was encoded");
        let again = AttrBuilder::from_node_def(a.spec(), &node).expect("a node of the op");
        prop_assert_eq!(again.cache_key(a.device.as_str()), a.key());
        prop_assert_eq!(again.build_node_def().encode_to_vec(), bytes);
    }

    /// What follows from inputs is the same as if it had been set, and comes first.
    #[test]
    fn inferred_is_as_good_as_set(a in call(), types in vec((dtype(), 1usize..4), 24)) {
        let spec = a.spec();
        let mut inferred = AttrBuilder::new(spec);
        for (arg, &(dtype, count)) in spec.inputs.iter().zip(&types) {
            match arg.count {
                tfe_ops::ArgCount::One => inferred.add_input(dtype).expect("an input"),
                _ => inferred.add_input_list(&vec![dtype; count]).expect("a list"),
            }
        }
        let mut set = AttrBuilder::new(spec);
        set.num_inputs(inferred.input_count());
        for (name, value) in inferred.set_values() {
            set.set(name, value.clone());
        }
        prop_assert_eq!(set.cache_key(""), inferred.cache_key(""));
        // Each argument has as many tensors as were given for it, unless another one said so first.
        for (arg, &(_, count)) in spec.inputs.iter().zip(&types).take(1) {
            let expected = if arg.count == tfe_ops::ArgCount::One { 1 } else { count };
            prop_assert_eq!(inferred.input_len(&arg.name).expect("known"), expected);
        }
    }

    /// Whatever is set, finishing gives a status or all attributes.
    #[test]
    fn finishing_never_panics(a in call()) {
        match a.builder().finish() {
            Ok(attrs) => {
                prop_assert!(a.spec().attrs.iter().all(|attr| attrs.find(&attr.name).is_some()));
                prop_assert_eq!(attrs.input_dtypes(a.spec()).expect("complete").len(), a.inputs);
            }
            Err(e) => prop_assert!(!e.message().is_empty()),
        }
    }
}
