//! TopKV2: the largest elements of each row, and where they are.

use std::cmp::Ordering;

use smallvec::SmallVec;
use tfe_core::{DTypeSet, DataType, Plain, Result, dispatch, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::scratch;

pub(super) const KERNELS: &[KernelDef] = &[KernelDef {
    types: &[("T", DTypeSet::REAL), ("Tk", INDEX), ("index_type", INDEX)],
    host_inputs: &["k"],
    ..KernelDef::host(ops::TOP_KV2, rule, build)
}];

const INDEX: DTypeSet = DTypeSet::of(&[DataType::Int16, DataType::Int32, DataType::Int64]);

/// Both outputs have the shape of the input, but for `k` columns.
fn rule(op: &OpInit<'_>) -> Result<Box<dyn Rule>> {
    let [input, k] = op.inputs(["input", "k"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        call.scalar(k, "k")?;
        let k = call.integer(k)?;
        ensure!(
            k.is_none_or(|k| k >= 0),
            InvalidArgument,
            "Need k >= 0, got {}",
            k.unwrap_or_default()
        );
        call.at_least_rank(input, 1, || {
            err!(
                InvalidArgument,
                "input must be >= 1-D, got shape {}",
                call.shown(input)
            )
        })?;
        let Some((&columns, outer)) = call.dims(input).and_then(<[i64]>::split_last) else {
            return Ok(());
        };
        let k = k.unwrap_or(dim::UNKNOWN);
        ensure!(
            columns == dim::UNKNOWN || k <= columns,
            InvalidArgument,
            "input must have at least k columns. Had {columns}, needed {k}"
        );
        let mut dims = SmallVec::<[i64; 8]>::from_slice(outer);
        dims.push(k);
        call.set(0, &dims)?;
        call.set(1, &dims)
    }))
}

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, index) = (init.attrs.dtype("T")?, init.attrs.dtype("index_type")?);
    dispatch!(dtype, Real, |T| dispatch!(
        index,
        [Int16, Int32, Int64],
        |I| Ok(Box::new(top_k::<T, I>))
    ))
}

fn top_k<T: Plain + PartialOrd, I: Plain + TryFrom<usize>>(
    ctx: &mut KernelContext<'_>,
) -> Result<()> {
    let (input, shape) = (ctx.input(0), ctx.output_shape(0)?);
    let columns = input.shape().dim(input.rank() - 1);
    let k = shape.dim(shape.rank() - 1);
    let source = input.as_slice::<T>()?;
    let mut values = scratch(shape.num_elements())?;
    let mut indices = scratch(shape.num_elements())?;
    // No more than the rows have: an empty tensor may claim any number of columns.
    let mut order: Vec<usize> = scratch(columns.min(source.len()).min(room(k) + k))?;
    for row in source.chunks_exact(columns.max(1)) {
        if k == 0 {
            break;
        }
        select(row, k, &mut order);
        for &i in &order[..k] {
            values.push(row[i]);
            indices.push(I::try_from(i).map_err(|_| {
                err!(
                    InvalidArgument,
                    "index {i} of a row of {columns} does not fit {}",
                    I::DTYPE
                )
            })?);
        }
    }
    let (values, indices) = (
        ctx.output(0)?.fill_from(values)?,
        ctx.output(1)?.fill_from(indices)?,
    );
    ctx.set_output(0, values);
    ctx.set_output(1, indices);
    Ok(())
}

/// How many candidates are gathered, beyond the `k` best so far, before the best of all are looked for.
fn room(k: usize) -> usize {
    (2 * k).max(64)
}

/// Brings the indices of the `k` largest elements to the front of `order`, largest first, ties by index.
fn select<T: PartialOrd + Copy>(row: &[T], k: usize, order: &mut Vec<usize>) {
    let larger = |&a: &usize, &b: &usize| descending(row[a], row[b]).then(a.cmp(&b));
    order.clear();
    // Where few are wanted of many, most elements lose against the worst so far: those are never moved.
    let room = room(k);
    let mut worst = None;
    for (i, &x) in row.iter().enumerate() {
        if worst.is_some_and(|w| descending(x, w) != Ordering::Less) {
            continue;
        }
        order.push(i);
        if order.len() == room + k {
            order.select_nth_unstable_by(k - 1, larger);
            order.truncate(k);
            worst = Some(row[order[k - 1]]);
        }
    }
    if order.len() > k {
        order.select_nth_unstable_by(k - 1, larger);
        order.truncate(k);
    }
    order.sort_unstable_by(larger);
}

/// Larger first; NaN counts as larger than any number.
fn descending<T: PartialOrd + Copy>(a: T, b: T) -> Ordering {
    match b.partial_cmp(&a) {
        Some(order) => order,
        None => {
            let nan = |x: T| x.partial_cmp(&x).is_none();
            nan(b).cmp(&nan(a))
        }
    }
}

#[cfg(test)]
mod tests {
    use tfe_core::Tensor;

    use super::*;
    use crate::testing::run;

    #[test]
    fn ties_go_to_the_lower_index_and_selection_equals_sorting() {
        for k in [1, 3, 17, 200] {
            let row: Vec<i32> = (0..500).map(|i| (i * 7919) % 97).collect();
            let mut want: Vec<usize> = (0..row.len()).collect();
            want.sort_by_key(|&i| (-row[i], i));
            let mut order = Vec::new();
            select(&row, k, &mut order);
            assert_eq!(order, want[..k]);
        }
    }

    #[test]
    fn odd_sizes() {
        let top = |dims: &[i64], k: i64| {
            let n = dims.iter().product::<i64>();
            let x: Vec<f32> = (0..n)
                .map(|i| if i == 1 { f32::NAN } else { i as f32 })
                .collect();
            let attrs = [("Tk", DataType::Int64.into())];
            run(
                "TopKV2",
                &attrs,
                vec![Tensor::from_slice(dims, &x)?, Tensor::scalar(k)?],
            )
        };
        let out = top(&[4], 3).expect("a result");
        assert_eq!(out[1].as_slice::<i32>().expect("indices"), [1, 3, 2]);
        assert_eq!(top(&[2, 0], 0).expect("a result")[0].dims(), [2, 0]);
        assert_eq!(top(&[0, 3], 2).expect("a result")[0].dims(), [0, 2]);
        // All 64 bits of k count.
        for (dims, k) in [(&[4][..], 5), (&[4], -1), (&[], 0), (&[4], (1 << 32) + 1)] {
            let e = top(dims, k).expect_err("refused");
            assert_eq!(e.code(), tfe_core::Code::InvalidArgument);
        }
    }

    #[test]
    fn an_empty_tensor_may_claim_any_number_of_columns() {
        let x = Tensor::from_slice::<f32>(&[0, 1 << 40], &[]).expect("a tensor");
        let k = Tensor::scalar(2i32).expect("a tensor");
        let out = run("TopKV2", &[], vec![x, k]).expect("nothing to select from");
        assert_eq!(out[0].dims(), [0, 2]);
        assert_eq!(out[1].dims(), [0, 2]);
    }
}
