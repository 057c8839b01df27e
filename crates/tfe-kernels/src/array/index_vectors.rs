//! Tensors of index vectors, as `GatherNd` and the scatter ops take them.

use tfe_core::{DTypeSet, DataType, Result, Tensor, bail};
use tfe_device::OpInit;

use tfe_host::gather_rows::Rows;
use tfe_host::{axes, scratch};

/// The types of indices to gather by.
pub(super) const INDICES: DTypeSet = DTypeSet::INDEX.union(DTypeSet::of(&[DataType::Int16]));

/// What becomes of an index vector that points outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// The call fails.
    Refuse,
    /// It is passed over.
    Ignore,
}

impl Policy {
    /// From the attribute `bad_indices_policy`.
    ///
    /// # Errors
    /// `InvalidArgument` for another policy.
    pub(super) fn of(init: &OpInit<'_>) -> Result<Self> {
        match init.attrs.str("bad_indices_policy")? {
            "" | "DEFAULT" | "ERROR" => Ok(Self::Refuse),
            "IGNORE" => Ok(Self::Ignore),
            other => bail!(
                InvalidArgument,
                "Unknown bad indices handling attribute: {other}"
            ),
        }
    }
}

/// The row that each index vector points to, in a tensor whose outer dimensions are `dims`; [`Rows::NONE`] for those that
/// are passed over. `target` describes the tensor. Rows of `moved` elements in all are gathered or updated: where that is
/// none, vectors of no numbers, of which there may be any number, are not listed.
///
/// # Errors
/// `InvalidArgument` for a vector that points outside, if the policy is to refuse it.
pub(super) fn vectors(
    indices: &Tensor,
    dims: &[i64],
    policy: Policy,
    moved: usize,
    target: impl Fn() -> String,
) -> Result<Vec<usize>> {
    let depth = dims.len();
    if depth == 0 && moved == 0 {
        return Ok(Vec::new());
    }
    let (places, given) = (indices.dims(), axes::integers(indices)?);
    let places = &places[..places.len().saturating_sub(1)];
    let count = places.iter().product::<i64>() as usize;
    let mut rows = scratch(count)?;
    for i in 0..count {
        let vector = &given[i * depth..(i + 1) * depth];
        let row = vector.iter().zip(dims).try_fold(0, |row, (&v, &dim)| {
            (0..dim)
                .contains(&v)
                .then(|| row * dim as usize + v as usize)
        });
        match (row, policy) {
            (Some(row), _) => rows.push(row),
            (None, Policy::Ignore) => rows.push(Rows::NONE),
            (None, Policy::Refuse) => {
                let vector: Vec<_> = vector.iter().map(i64::to_string).collect();
                bail!(
                    InvalidArgument,
                    "indices{} = [{}] does not index into {}",
                    axes::place(places, i),
                    vector.join(", "),
                    target()
                );
            }
        }
    }
    Ok(rows)
}
