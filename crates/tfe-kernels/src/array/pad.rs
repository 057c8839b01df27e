//! `Pad`, `PadV2` and `MirrorPad`: a tensor with more indices before and after those of each dimension, which hold zeros,
//! a given value, or what lies on the other side of the edge.

use smallvec::{SmallVec, smallvec};
use tfe_core::{DTypeSet, DataType, Result, bail, ensure, err};
use tfe_device::{Inference, Kernel, KernelContext, KernelDef, KernelInit, OpInit, Rule, dim};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::movement::moved;
use tfe_host::segmented_copy::{Run, Runs};
use tfe_host::strided;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: PADDED,
        host_inputs: &["paddings"],
        ..KernelDef::host(
            ops::PAD,
            |op| rule(op, None, None),
            |init| build(init, None),
        )
    },
    KernelDef {
        types: PADDED,
        host_inputs: &["paddings", "constant_values"],
        ..KernelDef::host(
            ops::PAD_V2,
            |op| rule(op, Some(op.input("constant_values")?), None),
            |init| build(init, Some(init.input("constant_values")?)),
        )
    },
    KernelDef {
        types: PADDED,
        host_inputs: &["paddings"],
        ..KernelDef::host(
            ops::MIRROR_PAD,
            |op| rule(op, None, Some(edge(op)?)),
            build_mirror,
        )
    },
];

const PADDED: &[(&str, DTypeSet)] = &[("T", TYPES), ("Tpaddings", DTypeSet::INDEX)];
const TYPES: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[
    DataType::Bool,
    DataType::String,
    DataType::Qint8,
    DataType::Quint8,
    DataType::Qint32,
]));

/// How often the edge itself is in the mirror image.
fn edge(op: &OpInit<'_>) -> Result<usize> {
    match op.attrs.str("mode")? {
        "SYMMETRIC" => Ok(1),
        "REFLECT" => Ok(0),
        other => bail!(
            InvalidArgument,
            "mode must be either REFLECT or SYMMETRIC, not {other}"
        ),
    }
}

/// Each dimension with its paddings, which hold input `value` or mirror the input with its edge so often.
fn rule(op: &OpInit<'_>, value: Option<usize>, edge: Option<usize>) -> Result<Box<dyn Rule>> {
    let [input, paddings] = op.inputs(["input", "paddings"])?;
    Ok(Box::new(move |call: &mut Inference<'_>| {
        ensure!(
            matches!(call.dims(paddings), None | Some([_, 2 | dim::UNKNOWN])),
            InvalidArgument,
            "paddings must be a matrix with 2 columns: {}",
            call.shown(paddings)
        );
        let rank = call.rank(input);
        let rows = call.dims(paddings).and_then(|dims| dim::known(dims[0]));
        if let (Some(rank), Some(rows)) = (rank, rows) {
            ensure!(
                rank as i64 == rows,
                InvalidArgument,
                "The first dimension of paddings must be the rank of inputs{} {}",
                call.shown(paddings),
                call.shown(input)
            );
        }
        let given = call.integers(paddings)?;
        for &[before, after] in given.iter().flat_map(|given| given.as_chunks().0) {
            ensure!(
                before >= 0 && after >= 0,
                InvalidArgument,
                "Paddings must be non-negative: {before} {after}"
            );
        }
        if let Some(value) = value {
            call.of_rank(value, 0, || {
                err!(
                    InvalidArgument,
                    "constant_values must be a scalar. Found: {}",
                    call.shown(value)
                )
            })?;
        }
        let (Some(dims), Some(given)) = (call.dims(input), given) else {
            if let Some(rank) = rank.or(rows.map(|rows| rows as usize)) {
                call.set_rank(0, rank);
            }
            return Ok(());
        };
        let pairs = dims.iter().zip(given.as_chunks().0);
        if let Some(edge) = edge {
            pairs
                .clone()
                .try_for_each(|(&dim, &pair)| mirrored(dim, pair, edge))?;
        }
        let padded = pairs.map(|(&dim, &[before, after])| dim::add(dim::add(dim, before)?, after));
        let padded = padded.collect::<Result<SmallVec<[i64; 8]>>>()?;
        call.set(0, &padded)
    }))
}

/// Checks that a dimension has as many indices to mirror as are asked for.
fn mirrored(dim: i64, [before, after]: [i64; 2], edge: usize) -> Result<()> {
    let most = before.max(after);
    let (bound, exceeds) = match edge {
        0 => ("less than", "not less than"),
        _ => ("no greater than", "greater than"),
    };
    ensure!(
        dim == dim::UNKNOWN || most < dim.saturating_add(edge as i64) || most == 0,
        InvalidArgument,
        "paddings must be {bound} the dimension size: {before}, {after} {exceeds} {dim}"
    );
    Ok(())
}

fn build(init: &KernelInit<'_>, value: Option<usize>) -> Result<Box<dyn Kernel>> {
    let [input, paddings] = init.inputs(["input", "paddings"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(input);
        let strides = strided::strides(input.dims());
        let paddings = pairs(ctx, paddings)?;
        let runs = paddings.iter().enumerate().map(|(i, &[before, after])| {
            let middle = Run::of(input.shape().dim(i), 0, strides[i]);
            smallvec![Run::gap(before), middle, Run::gap(after)]
        });
        let value = value.map(|value| ctx.input(value));
        let out = moved(ctx, ctx.output(0)?, input, value, &Runs::new(runs))?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

fn build_mirror(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let edge = edge(init)? as isize;
    let [input, paddings] = init.inputs(["input", "paddings"])?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(input);
        let strides = strided::strides(input.dims());
        let paddings = pairs(ctx, paddings)?;
        let runs = paddings.iter().enumerate().map(|(i, &[before, after])| {
            let (len, step) = (input.shape().dim(i), strides[i]);
            // Backwards from the index that is as far from the edge as the first is long; and from the last one on.
            let first = before as isize - edge;
            let last = len as isize - 2 + edge;
            smallvec![
                Run::of(before, first * step, -step),
                Run::of(len, 0, step),
                Run::of(after, last * step, -step)
            ]
        });
        let out = moved(ctx, ctx.output(0)?, input, None, &Runs::new(runs))?;
        ctx.set_output(0, out);
        Ok(())
    }))
}

/// How many indices come before and after those of each dimension.
fn pairs(ctx: &KernelContext<'_>, paddings: usize) -> Result<SmallVec<[[usize; 2]; 8]>> {
    let given = axes::integers(ctx.input(paddings))?;
    let pairs = given.as_chunks().0.iter();
    Ok(pairs
        .map(|pair: &[i64; 2]| pair.map(|n| n as usize))
        .collect())
}
