//! `Unique`, `UniqueV2` and their variants with counts: the different elements of a vector, or slices of a tensor, in the
//! order in which they first occur. Zeros are equal whatever their sign, a NaN to nothing.

use num_traits::AsPrimitive;
use tfe_core::{DTypeSet, DataType, Result, Shape, TString, Tensor, bail, dispatch, ensure, err};
use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
use tfe_ops::ops;

use tfe_host::axes;
use tfe_host::gather_rows::Rows;
use tfe_host::movement::moved;

pub(super) const KERNELS: &[KernelDef] = &[
    KernelDef {
        types: KEYS,
        ..KernelDef::cpu(ops::UNIQUE, build)
    },
    KernelDef {
        types: KEYS,
        host_inputs: &["axis"],
        ..KernelDef::cpu(ops::UNIQUE_V2, build)
    },
    KernelDef {
        types: KEYS,
        ..KernelDef::cpu(ops::UNIQUE_WITH_COUNTS, build)
    },
    KernelDef {
        types: KEYS,
        host_inputs: &["axis"],
        ..KernelDef::cpu(ops::UNIQUE_WITH_COUNTS_V2, build)
    },
];

const KEYS: &[(&str, DTypeSet)] = &[
    (
        "T",
        DTypeSet::REAL.union(DTypeSet::of(&[DataType::Bool, DataType::String])),
    ),
    ("out_idx", DTypeSet::INDEX),
];

fn build(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let index_type = init.attrs.dtype("out_idx")?;
    Ok(Box::new(move |ctx: &mut KernelContext<'_>| {
        let input = ctx.input(0);
        let axis = axis(input, (ctx.num_inputs() > 1).then(|| ctx.input(1)))?;
        let size = |dims: &[i64]| dims.iter().product::<i64>() as usize;
        let mut dims = input.dims().to_vec();
        let slices = Slices {
            outer: size(&dims[..axis]),
            count: size(&dims[axis..=axis]),
            inner: size(&dims[axis + 1..]),
        };
        if input.num_elements() == 0 {
            return of_nothing(ctx, axis, index_type);
        }
        let groups = match input.dtype() {
            DataType::String => slices.grouped(input.as_slice::<TString>()?),
            _ => slices.grouped(&keys(input, 0)?),
        };

        dims[axis] = groups.firsts.len() as i64;
        let rows = Rows {
            rows: &groups.firsts,
            list: groups.firsts.len(),
            blocks: slices.outer,
            block: slices.count,
            width: slices.inner,
        };
        let values = moved(
            ctx,
            ctx.allocate(input.dtype(), Shape::new(&dims)?)?,
            input,
            None,
            &rows,
        )?;
        let indices = axes::tensor(ctx, index_type, Shape::vector(slices.count), &groups.of)?;
        if ctx.num_outputs() > 2 {
            let mut counts = vec![0; groups.firsts.len()];
            groups
                .of
                .iter()
                .for_each(|&group| counts[group as usize] += 1);
            let counts = axes::tensor(ctx, index_type, Shape::vector(counts.len()), &counts)?;
            ctx.set_output(2, counts);
        }
        ctx.set_output(0, values);
        ctx.set_output(1, indices);
        Ok(())
    }))
}

/// The results for slices without elements: all are equal, however many there are.
fn of_nothing(ctx: &mut KernelContext<'_>, axis: usize, index_type: DataType) -> Result<()> {
    let input = ctx.input(0);
    let mut dims = input.dims().to_vec();
    let count = dims[axis];
    dims[axis] = count.min(1);
    let values = ctx.allocate(input.dtype(), Shape::new(&dims)?)?.zeroed();
    let indices = ctx.allocate(index_type, Shape::new(&[count])?)?.zeroed();
    if ctx.num_outputs() > 2 {
        let counts: &[i64] = if count == 0 { &[] } else { &[count] };
        let counts = axes::tensor(ctx, index_type, Shape::vector(counts.len()), counts)?;
        ctx.set_output(2, counts);
    }
    ctx.set_output(0, values);
    ctx.set_output(1, indices);
    Ok(())
}

/// The axis whose slices are compared.
fn axis(input: &Tensor, given: Option<&Tensor>) -> Result<usize> {
    let given = match given {
        None => None,
        Some(axis) if axis.rank() != 1 => bail!(InvalidArgument, "axis expects a 1D vector."),
        Some(axis) => match axes::integers(axis)?[..] {
            [] => None,
            [axis] => Some(axis),
            _ => bail!(
                InvalidArgument,
                "axis does not support input tensors larger than 1 elements"
            ),
        },
    };
    let rank = input.rank();
    match given {
        None => {
            ensure!(rank == 1, InvalidArgument, "unique expects a 1D vector.");
            Ok(0)
        }
        Some(axis) => axes::normalize(axis, rank)
            .ok_or_else(|| err!(InvalidArgument, "axis has to be between [0, {rank})")),
    }
}

/// Numbers that are the same for elements that are equal. Each NaN gets one of its own, from `first` on.
pub(super) fn keys(input: &Tensor, first: usize) -> Result<Vec<u64>> {
    let float = |(i, x): (usize, f64)| match x {
        0.0 => 0,
        x if x.is_nan() => f64::NAN.to_bits() | (first + i) as u64,
        x => x.to_bits(),
    };
    match input.dtype() {
        DataType::Bool => Ok(input
            .as_slice::<bool>()?
            .iter()
            .map(|&x| x.into())
            .collect()),
        dtype if DTypeSet::FLOAT.contains(dtype) => dispatch!(dtype, Float, |T| {
            let wide = input.as_slice::<T>()?.iter().map(|&x| x.as_());
            Ok(wide.enumerate().map(float).collect())
        }),
        dtype => dispatch!(dtype, Int, |T| {
            Ok(input.as_slice::<T>()?.iter().map(|&x| x.as_()).collect())
        }),
    }
}

/// A tensor seen as slices along an axis: an element is one of the outer, of the slices, of the inner.
#[derive(Clone, Copy)]
struct Slices {
    outer: usize,
    count: usize,
    inner: usize,
}

/// Which slices are equal.
pub(super) struct Groups {
    /// The first slice of each group.
    pub(super) firsts: Vec<usize>,
    /// The group of each slice.
    pub(super) of: Vec<i64>,
}

/// Something to compare and to hash.
pub(super) trait Key: PartialEq {
    /// A hash of this and of what was hashed before.
    fn hash(&self, hash: u64) -> u64;
}

impl<K: Key> Key for &K {
    fn hash(&self, hash: u64) -> u64 {
        (**self).hash(hash)
    }
}

impl Key for u64 {
    fn hash(&self, hash: u64) -> u64 {
        mixed(hash ^ self)
    }
}

impl Key for TString {
    fn hash(&self, hash: u64) -> u64 {
        let bytes = self.as_bytes();
        bytes
            .chunks(8)
            .fold(hash ^ bytes.len() as u64, |hash, chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                mixed(hash ^ u64::from_ne_bytes(word))
            })
    }
}

/// Every bit of the number in every bit of the result.
fn mixed(x: u64) -> u64 {
    let product = u128::from(x) * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ (product >> 64) as u64
}

/// The groups of equal elements.
pub(super) fn grouped<K: Key>(keys: &[K]) -> Groups {
    let slices = Slices {
        outer: 1,
        count: keys.len(),
        inner: 1,
    };
    slices.grouped(keys)
}

impl Slices {
    fn grouped<K: Key>(self, keys: &[K]) -> Groups {
        /// No group.
        const FREE: usize = usize::MAX;

        let elements = move |slice: usize| {
            let first = move |outer: usize| (outer * self.count + slice) * self.inner;
            (0..self.outer).flat_map(move |outer| &keys[first(outer)..][..self.inner])
        };
        // A table that is never more than half full: a group stands at the first free place from its hash on. It grows
        // with the groups, of which there are few where elements have few values.
        let mut table = vec![FREE; 64];
        let mut hashes = Vec::new();
        let mut firsts = Vec::new();
        let mut of = Vec::with_capacity(self.count);
        for slice in 0..self.count {
            let mask = table.len() - 1;
            let hash = elements(slice).fold(0, |hash, key| key.hash(hash)) as usize;
            let mut place = hash & mask;
            while table[place] != FREE && !elements(firsts[table[place]]).eq(elements(slice)) {
                place = (place + 1) & mask;
            }
            if table[place] == FREE {
                table[place] = firsts.len();
                firsts.push(slice);
                hashes.push(hash);
            }
            of.push(table[place] as i64);
            if 2 * firsts.len() > mask {
                table = placed(&hashes, 4 * (mask + 1));
            }
        }
        return Groups { firsts, of };

        /// A table of that size with the groups of these hashes.
        fn placed(hashes: &[usize], size: usize) -> Vec<usize> {
            let mut table = vec![FREE; size];
            for (group, hash) in hashes.iter().enumerate() {
                let mut place = hash & (size - 1);
                while table[place] != FREE {
                    place = (place + 1) & (size - 1);
                }
                table[place] = group;
            }
            table
        }
    }
}
