//! Ops that move elements: where each element of the result comes from is a rule, told here place by place.

use tfe_attrs::AttrValue;
use tfe_core::{Code, DataType, Result, Shape, Tensor};

use super::{Attrs, Samples, Suite, Want, index_tensor};
use crate::conformance::data::ordinary;
use crate::conformance::index::{flat, places};
use crate::conformance::{Call, Sample};
use crate::values::pick;

/// An op, and some calls of it.
struct Op {
    name: &'static str,
    /// The attribute that is the type of what is moved.
    moved: &'static str,
    /// Attributes that are types of indices.
    indices: &'static [&'static str],
    moves: &'static [Move],
}

/// A call.
struct Move {
    name: &'static str,
    attrs: &'static [(&'static str, Attr)],
    /// The shape of what is moved.
    from: &'static [i64],
    /// The other inputs: shapes and elements.
    others: &'static [(&'static [i64], &'static [i64])],
    /// The shape of the result.
    to: &'static [i64],
    /// Which place of the input an element of the result comes from; `None` for zero, or an empty string.
    place: fn(&[i64]) -> Option<Vec<i64>>,
}

enum Attr {
    Int(i64),
    Text(&'static str),
}

const OPS: &[Op] = &[
    Op {
        name: "Transpose",
        moved: "T",
        indices: &["Tperm"],
        moves: &[
            Move {
                name: "matrix",
                attrs: &[],
                from: &[17, 19],
                others: &[(&[2], &[1, 0])],
                to: &[19, 17],
                place: |at| Some(vec![at[1], at[0]]),
            },
            Move {
                name: "rank_4",
                attrs: &[],
                from: &[2, 3, 1, 4],
                others: &[(&[4], &[3, -4, 1, 2])],
                to: &[4, 2, 3, 1],
                place: |at| Some(vec![at[1], at[2], at[3], at[0]]),
            },
            Move {
                name: "empty",
                attrs: &[],
                from: &[0, 3],
                others: &[(&[2], &[1, 0])],
                to: &[3, 0],
                place: |_| None,
            },
        ],
    },
    Op {
        name: "Slice",
        moved: "T",
        indices: &["Index"],
        moves: &[
            Move {
                name: "block",
                attrs: &[],
                from: &[5, 6, 2],
                others: &[(&[3], &[1, 2, 0]), (&[3], &[3, -1, 2])],
                to: &[3, 4, 2],
                place: |at| Some(vec![at[0] + 1, at[1] + 2, at[2]]),
            },
            Move {
                name: "rows",
                attrs: &[],
                from: &[9, 64],
                others: &[(&[2], &[2, 0]), (&[2], &[5, 64])],
                to: &[5, 64],
                place: |at| Some(vec![at[0] + 2, at[1]]),
            },
        ],
    },
    Op {
        name: "ReverseV2",
        moved: "T",
        indices: &["Tidx"],
        moves: &[Move {
            name: "two_of_three",
            attrs: &[],
            from: &[3, 4, 5],
            others: &[(&[2], &[2, -3])],
            to: &[3, 4, 5],
            place: |at| Some(vec![2 - at[0], at[1], 4 - at[2]]),
        }],
    },
    Op {
        name: "BroadcastTo",
        moved: "T",
        indices: &["Tidx"],
        moves: &[
            Move {
                name: "middle",
                attrs: &[],
                from: &[3, 1, 2],
                others: &[(&[4], &[2, 3, 4, 2])],
                to: &[2, 3, 4, 2],
                place: |at| Some(vec![at[1], 0, at[3]]),
            },
            Move {
                name: "scalar",
                attrs: &[],
                from: &[],
                others: &[(&[1], &[70])],
                to: &[70],
                place: |_| Some(vec![]),
            },
        ],
    },
    Op {
        name: "Pad",
        moved: "T",
        indices: &["Tpaddings"],
        moves: &[
            Move {
                name: "all_around",
                attrs: &[],
                from: &[2, 3],
                others: &[(&[2, 2], &[1, 0, 2, 1])],
                to: &[3, 6],
                place: |at| {
                    let inside = at[0] > 0 && (2..5).contains(&at[1]);
                    inside.then(|| vec![at[0] - 1, at[1] - 2])
                },
            },
            Move {
                name: "nothing",
                attrs: &[],
                from: &[0],
                others: &[(&[1, 2], &[1, 2])],
                to: &[3],
                place: |_| None,
            },
        ],
    },
    Op {
        name: "MirrorPad",
        moved: "T",
        indices: &["Tpaddings"],
        moves: &[
            Move {
                name: "reflect",
                attrs: &[("mode", Attr::Text("REFLECT"))],
                from: &[3, 2],
                others: &[(&[2, 2], &[2, 1, 0, 1])],
                to: &[6, 3],
                place: |at| Some(vec![[2, 1, 0, 1, 2, 1][at[0] as usize], at[1] % 2]),
            },
            Move {
                name: "symmetric",
                attrs: &[("mode", Attr::Text("SYMMETRIC"))],
                from: &[3],
                others: &[(&[1, 2], &[3, 2])],
                to: &[8],
                place: |at| Some(vec![[2, 1, 0, 0, 1, 2, 2, 1][at[0] as usize]]),
            },
        ],
    },
    Op {
        name: "GatherV2",
        moved: "Tparams",
        indices: &["Tindices", "Taxis"],
        moves: &[
            Move {
                name: "rows",
                attrs: &[("batch_dims", Attr::Int(0))],
                from: &[4, 33],
                others: &[(&[3], &[3, 0, 3]), (&[], &[0])],
                to: &[3, 33],
                place: |at| Some(vec![[3, 0, 3][at[0] as usize], at[1]]),
            },
            Move {
                name: "in_batches",
                attrs: &[("batch_dims", Attr::Int(1))],
                from: &[2, 3, 4],
                others: &[(&[2, 2], &[3, 1, 0, 2]), (&[], &[2])],
                to: &[2, 3, 2],
                place: |at| {
                    let index = [[3, 1], [0, 2]][at[0] as usize][at[2] as usize];
                    Some(vec![at[0], at[1], index])
                },
            },
        ],
    },
    Op {
        name: "GatherNd",
        moved: "Tparams",
        indices: &["Tindices"],
        moves: &[
            Move {
                name: "elements",
                attrs: &[("bad_indices_policy", Attr::Text(""))],
                from: &[2, 3],
                others: &[(&[2, 2], &[1, 2, 0, 1])],
                to: &[2],
                place: |at| Some(vec![1 - at[0], 2 - at[0]]),
            },
            Move {
                name: "rows_or_nothing",
                attrs: &[("bad_indices_policy", Attr::Text("IGNORE"))],
                from: &[2, 3],
                others: &[(&[2, 1], &[7, 1])],
                to: &[2, 3],
                place: |at| (at[0] == 1).then(|| vec![1, at[1]]),
            },
        ],
    },
    Op {
        name: "SpaceToDepth",
        moved: "T",
        indices: &[],
        moves: &[Move {
            name: "image",
            attrs: &[
                ("block_size", Attr::Int(2)),
                ("data_format", Attr::Text("NHWC")),
            ],
            from: &[1, 4, 6, 3],
            others: &[],
            to: &[1, 2, 3, 12],
            place: |at| {
                let (row, column) = (at[3] / 6, at[3] / 3 % 2);
                Some(vec![0, at[1] * 2 + row, at[2] * 2 + column, at[3] % 3])
            },
        }],
    },
    Op {
        name: "DepthToSpace",
        moved: "T",
        indices: &[],
        moves: &[Move {
            name: "image",
            attrs: &[
                ("block_size", Attr::Int(2)),
                ("data_format", Attr::Text("NHWC")),
            ],
            from: &[1, 2, 3, 12],
            others: &[],
            to: &[1, 4, 6, 3],
            place: |at| {
                let depth = at[1] % 2 * 6 + at[2] % 2 * 3 + at[3];
                Some(vec![0, at[1] / 2, at[2] / 2, depth])
            },
        }],
    },
    Op {
        name: "SpaceToBatchND",
        moved: "T",
        indices: &["Tblock_shape", "Tpaddings"],
        moves: &[Move {
            name: "padded",
            attrs: &[],
            from: &[2, 3, 5],
            others: &[(&[1], &[2]), (&[1, 2], &[1, 0])],
            to: &[4, 2, 5],
            place: |at| {
                let row = at[1] * 2 + at[0] / 2 - 1;
                (row >= 0).then(|| vec![at[0] % 2, row, at[2]])
            },
        }],
    },
    Op {
        name: "BatchToSpaceND",
        moved: "T",
        indices: &["Tblock_shape", "Tcrops"],
        moves: &[Move {
            name: "cropped",
            attrs: &[],
            from: &[4, 2, 5],
            others: &[(&[1], &[2]), (&[1, 2], &[1, 0])],
            to: &[2, 3, 5],
            place: |at| {
                let row = at[1] + 1;
                Some(vec![row % 2 * 2 + at[0], row / 2, at[2]])
            },
        }],
    },
    Op {
        name: "ReverseSequence",
        moved: "T",
        indices: &["Tlen"],
        moves: &[Move {
            name: "of_two_lengths",
            attrs: &[("seq_dim", Attr::Int(1)), ("batch_dim", Attr::Int(0))],
            from: &[2, 4, 3],
            others: &[(&[2], &[3, 0])],
            to: &[2, 4, 3],
            place: |at| {
                let from = if at[0] == 0 && at[1] < 3 {
                    2 - at[1]
                } else {
                    at[1]
                };
                Some(vec![at[0], from, at[2]])
            },
        }],
    },
];

macro_rules! suites {
    ($($index:literal),*) => {
        &[$(Suite {
            op: OPS[$index].name,
            types: &[OPS[$index].moved],
            samples: |types| samples(&OPS[$index], types[0]),
            plain: |types| plain(&OPS[$index], types[0]),
            without_kernel: Code::NotFound,
        }),*]
    };
}

pub(super) const SUITES: &[Suite] = suites!(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);

fn plain(op: &Op, dtype: DataType) -> Result<Call> {
    let [first, ..] = op.moves else {
        return Ok((Vec::new(), Vec::new()));
    };
    let moved = Tensor::zeros(dtype, Shape::new(first.from)?)?;
    Ok((attrs(op, first, dtype), inputs(first, moved)?))
}

fn samples(op: &Op, dtype: DataType) -> Result<Vec<Sample>> {
    let nothing = Tensor::zeros(dtype, Shape::scalar())?;
    let mut list = Vec::new();
    for call in op.moves {
        let moved = ordinary(dtype, call.from, 5)?;
        let elements = places(call.to).map(|at| match (call.place)(&at) {
            Some(place) => (0, flat(call.from, &place)),
            None => (1, 0),
        });
        let elements: Vec<_> = elements.collect();
        let want = pick(&[&moved, &nothing], dtype, call.to, &elements)?;
        let mut samples = Samples::new(attrs(op, call, dtype));
        samples.add(call.name, [], inputs(call, moved)?, Want::exactly(want));
        list.extend(samples.list);
    }
    Ok(list)
}

fn attrs(op: &Op, call: &Move, dtype: DataType) -> Attrs {
    let own = call.attrs.iter().map(|(name, value)| {
        let value = match *value {
            Attr::Int(value) => AttrValue::from(value),
            Attr::Text(value) => AttrValue::from(value),
        };
        (*name, value)
    });
    let indices = op
        .indices
        .iter()
        .map(|&name| (name, DataType::Int32.into()));
    let all = own.chain(indices).chain([(op.moved, dtype.into())]);
    all.map(|(name, value)| (name.to_owned(), value)).collect()
}

fn inputs(call: &Move, moved: Tensor) -> Result<Vec<Tensor>> {
    let mut inputs = vec![moved];
    for (dims, values) in call.others {
        inputs.push(index_tensor(DataType::Int32, dims, values)?);
    }
    Ok(inputs)
}
