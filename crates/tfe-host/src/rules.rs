//! Rules that many ops share: the shape of an input, that of all inputs broadcast, a scalar, nothing.

use smallvec::SmallVec;
use tfe_core::{Result, bail, ensure, err};
use tfe_device::{Inference, OpInit, Rule, dim};

use crate::{axes, broadcast, reduce};

/// The rule of an op without outputs, or of one whose outputs are not known before it runs.
///
/// # Errors
/// None.
pub fn unknown(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|_: &mut Inference<'_>| Ok(())))
}

/// The rule of an op all of whose outputs are scalars, whatever its inputs are.
///
/// # Errors
/// None.
pub fn scalars(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        (0..call.num_outputs()).for_each(|i| call.set_scalar(i));
        Ok(())
    }))
}

/// The rule of an op each of whose outputs has the shape of input `I`.
///
/// # Errors
/// None.
pub fn like<const I: usize>(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(|call: &mut Inference<'_>| {
        (0..call.num_outputs()).for_each(|i| call.set_like(i, I));
        Ok(())
    }))
}

/// The rule of an op whose inputs are broadcast to the shape of its output, at their last dimensions.
///
/// # Errors
/// None; the rule's are `InvalidArgument` for shapes that do not fit, `Unimplemented` for more dimensions than
/// TensorFlow broadcasts.
pub fn broadcast(_: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    Ok(Box::new(broadcast_inputs))
}

/// The rule of [`broadcast`](fn@broadcast) itself.
///
/// # Errors
/// As there.
pub fn broadcast_inputs(call: &mut Inference<'_>) -> Result<()> {
    if let Some(shape) = call.common_shape() {
        call.set_shape(0, shape.clone());
        return Ok(());
    }
    let inputs: SmallVec<[_; 3]> = (0..call.num_inputs()).map(|i| call.dims(i)).collect();
    match broadcast::dims_of(&inputs)? {
        Some(dims) => {
            broadcast::check_limit(&inputs, &dims)?;
            call.set(0, &dims)
        }
        None => Ok(()),
    }
}

/// The rule of an op whose inputs all have one shape, which is that of its output.
///
/// # Errors
/// None; the rule's is `InvalidArgument`.
pub fn alike(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let (op, node) = (op.spec.name().to_owned(), op.node_name.to_owned());
    Ok(Box::new(move |call: &mut Inference<'_>| {
        inputs_alike(call, &op, &node)
    }))
}

/// The rule of [`alike`] itself, for a node of an op.
///
/// # Errors
/// As there.
pub fn inputs_alike(call: &mut Inference<'_>, op: &str, node: &str) -> Result<()> {
    let mut known = 0;
    for k in 1..call.num_inputs() {
        ensure!(
            call.may_be_equal(known, k),
            InvalidArgument,
            "Inputs to operation {node} of type {op} must have the same size and shape.  Input {known}: {} != input {k}: {}",
            call.shown(known),
            call.shown(k)
        );
        let unknown = |i: usize| match call.dims(i) {
            Some(dims) => dims.iter().filter(|&&d| d == dim::UNKNOWN).count(),
            None => usize::MAX,
        };
        if unknown(k) < unknown(known) {
            known = k;
        }
    }
    call.set_like(0, known);
    Ok(())
}

/// The rule of an op that reduces `input` along the axes that `reduction_indices` lists.
///
/// # Errors
/// None; the rule's is `InvalidArgument` for an axis that is not there, or is named twice.
pub fn reduction(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let keep_dims = op.attrs.bool("keep_dims")?;
    let [input, axes] = op.inputs(["input", "reduction_indices"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        reduced_input(call, [input, axes], keep_dims)
    }))
}

/// The rule of [`reduction`] itself, of input `input` along the axes that input `axes` lists.
fn reduced_input(
    call: &mut Inference<'_>,
    [input, axes]: [usize; 2],
    keep_dims: bool,
) -> Result<()> {
    match (call.dims(input), call.integers(axes)?) {
        (Some(dims), Some(axes)) => call.set(0, &reduce::dims_of(dims, &axes, keep_dims)?)?,
        (Some(dims), None) if keep_dims => call.set_rank(0, dims.len()),
        _ => {}
    }
    Ok(())
}

/// Checks the scalar input `axis`, and that it is an axis of input `of`, as far as they are known: the axis, counted from
/// the start.
///
/// # Errors
/// `InvalidArgument`, which `what` and `why` begin.
pub fn axis_of(
    call: &Inference<'_>,
    [axis, of]: [usize; 2],
    what: &str,
    why: &str,
) -> Result<Option<usize>> {
    call.of_rank(axis, 0, || {
        err!(InvalidArgument, "{what} {}", call.shown(axis))
    })?;
    let (Some(given), Some(rank)) = (call.integer(axis)?, call.rank(of)) else {
        return Ok(None);
    };
    let axis = axes::normalize(given, rank).ok_or_else(|| {
        err!(
            InvalidArgument,
            "{why} in the range [{}, {rank}), but got {given}",
            -(rank as i64)
        )
    })?;
    Ok(Some(axis))
}

/// Checks that two inputs have one shape, as far as it is known, and gives output 0 that shape.
///
/// # Errors
/// `InvalidArgument`: «`what` must have the same shape, but got `[2]` and `[3]`».
pub fn same_shape(call: &mut Inference<'_>, [a, b]: [usize; 2], what: &str) -> Result<()> {
    let (Some(left), Some(right)) = (call.dims(a), call.dims(b)) else {
        call.set_like(0, if call.dims(a).is_some() { a } else { b });
        return Ok(());
    };
    match dim::merge_all(left, right) {
        Some(dims) => call.set(0, &dims),
        None => bail!(
            InvalidArgument,
            "{what} must have the same shape, but got {} and {}",
            call.shown(a),
            call.shown(b)
        ),
    }
}

#[cfg(test)]
mod tests {
    use tfe_core::{DataType, PartialShape, Shape, Tensor};
    use tfe_device::{Fact, OutputShape};

    use super::*;

    #[test]
    fn unknown_dimensions_are_broadcast_as_far_as_they_are_known() {
        let known = |dims: &[i64]| OutputShape::Known(Shape::new(dims).expect("a shape"));
        let part = |dims: &[i64]| OutputShape::Partial(PartialShape::of(dims));
        let check = |a: Option<&[i64]>, b: Option<&[i64]>, want: OutputShape| {
            let fact = |dims: Option<&[i64]>| {
                let shape = dims.map_or(PartialShape::unknown(), PartialShape::of);
                Fact::of(DataType::Float, shape)
            };
            let (facts, mut out) = ([fact(a), fact(b)], [OutputShape::default()]);
            broadcast_inputs(&mut Inference::of_facts(&facts, &mut out)).expect("they fit");
            assert_eq!(out[0], want, "{a:?} and {b:?}");
        };
        check(Some(&[2, 3]), Some(&[3]), known(&[2, 3]));
        check(Some(&[-1, 3]), Some(&[2, 1]), known(&[2, 3]));
        check(Some(&[-1, 3]), Some(&[1, 1]), part(&[-1, 3]));
        check(Some(&[-1]), Some(&[]), part(&[-1]));
        check(Some(&[-1]), Some(&[-1]), part(&[-1]));
        check(None, Some(&[2]), OutputShape::default());
    }

    #[test]
    fn reductions_are_known_as_far_as_dimensions_and_axes_are() {
        let input = Fact::of(DataType::Float, PartialShape::of(&[2, -1, 4]));
        let axes = Fact::from(&Tensor::vector(&[-1i32, 0]).expect("a tensor"));
        let unknown = Fact::of(DataType::Int32, PartialShape::of(&[2]));
        let check = |axes: &Fact, keep_dims, want: PartialShape| {
            let (facts, mut out) = ([input.clone(), axes.clone()], [OutputShape::default()]);
            let mut call = Inference::of_facts(&facts, &mut out);
            reduced_input(&mut call, [0, 1], keep_dims).expect("axes");
            assert_eq!(out[0], OutputShape::Partial(want));
        };
        check(&axes, false, PartialShape::of(&[-1]));
        check(&axes, true, PartialShape::of(&[1, -1, 1]));
        check(&unknown, true, PartialShape::of(&[-1, -1, -1]));
        check(&unknown, false, PartialShape::unknown());
    }

    #[test]
    fn inputs_that_are_alike_know_as_much_as_one_of_them() {
        let fact = |dims: &[i64]| Fact::of(DataType::Float, PartialShape::of(dims));
        let mut out = [OutputShape::default()];
        let facts = [fact(&[-1, -1]), fact(&[2, -1]), fact(&[-1, -1])];
        inputs_alike(&mut Inference::of_facts(&facts, &mut out), "AddN", "n").expect("alike");
        assert_eq!(out[0], OutputShape::Partial(PartialShape::of(&[2, -1])));
        let facts = [fact(&[2, -1]), fact(&[3, -1])];
        let e = inputs_alike(&mut Inference::of_facts(&facts, &mut out), "AddN", "n");
        assert_eq!(
            e.expect_err("unlike").message(),
            "Inputs to operation n of type AddN must have the same size and shape.  Input 0: [2,?] != input 1: [3,?]"
        );
    }
}
