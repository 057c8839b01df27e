//! Rows of a tensor in any order: what gathering takes.

use std::mem::MaybeUninit;

use tfe_core::{Result, Word};
use tfe_device::Device;

use crate::movement::Movement;
use crate::{Cursor, cost, parallel};

/// A list of rows, taken from each of several blocks of a tensor.
pub struct Rows<'a> {
    /// Which rows of a block, list after list; [`Rows::NONE`] for a row of gaps.
    pub rows: &'a [usize],
    /// The length of a list.
    pub list: usize,
    /// How many blocks in a row take the same list.
    pub blocks: usize,
    /// The rows of a block.
    pub block: usize,
    /// The elements of a row.
    pub width: usize,
}

impl<'a> Rows<'a> {
    /// The entry for a row that is not there.
    pub const NONE: usize = usize::MAX;

    /// These rows of a tensor that is one block.
    pub fn of(rows: &'a [usize], width: usize) -> Self {
        Self {
            rows,
            list: rows.len(),
            blocks: 1,
            block: 0,
            width,
        }
    }

    /// Where in the input row `i` of the result begins, in rows.
    #[inline]
    fn row(&self, i: usize) -> Option<usize> {
        let block = i / self.list;
        let row = self.rows[block / self.blocks * self.list + i % self.list];
        (row != Self::NONE).then(|| block * self.block + row)
    }
}

impl Movement for Rows<'_> {
    fn write<'a, W: Word>(
        &self,
        device: &dyn Device,
        source: &[W],
        gap: W,
        dst: &'a mut [MaybeUninit<W>],
    ) -> Result<&'a mut [W]> {
        let width = self.width;
        if dst.is_empty() {
            return Cursor::new(dst).finish();
        }
        // Rows lie anywhere in memory: most of the time goes into reaching the first word.
        let cost = cost::copy(size_of::<W>()) + cost::RANDOM_ACCESS / width as f64;
        Ok(parallel::write(
            device,
            dst,
            width,
            cost,
            &|start, piece| {
                let (first, n) = (start / width, piece.len() / width);
                let mut out = Cursor::new(piece);
                for i in first..first + n {
                    match self.row(i) {
                        Some(row) if width == 1 => out.push(source[row]),
                        Some(row) => out.copy(&source[row * width..][..width]),
                        None => out.repeat(gap, width),
                    }
                }
                out.finish().expect("as many rows as there is room for")
            },
        ))
    }

    fn source(&self, i: usize) -> Option<usize> {
        Some(self.row(i / self.width)? * self.width + i % self.width)
    }
}
