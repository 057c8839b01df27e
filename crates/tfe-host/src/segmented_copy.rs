//! Arrays put together from stretches of another, dimension by dimension, with gaps between: padding, mirrors, crops.

use std::mem::MaybeUninit;
use std::ops::Range;

use smallvec::SmallVec;
use tfe_core::{Result, Word};
use tfe_device::Device;

use crate::movement::Movement;
use crate::{Cursor, cost, parallel};

/// A stretch of a dimension of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    len: usize,
    /// How far into the input its first index is and how far apart the others are, in elements; `None` for gaps.
    from: Option<(isize, isize)>,
}

impl Run {
    /// Gaps.
    pub fn gap(len: usize) -> Self {
        Self { len, from: None }
    }

    /// Indices that are `step` elements apart in the input, from element `start` on.
    pub fn of(len: usize, start: isize, step: isize) -> Self {
        let from = Some((start, step));
        Self { len, from }
    }

    /// The part of it between two of its indices.
    fn part(self, range: Range<usize>) -> Self {
        let from = self
            .from
            .map(|(start, step)| (start + step * range.start as isize, step));
        Self {
            len: range.len(),
            from,
        }
    }
}

/// For each dimension of the result, its runs. An element is where the sum of its dimensions' offsets points.
pub struct Runs {
    dims: SmallVec<[Dim; 4]>,
}

struct Dim {
    runs: SmallVec<[Run; 3]>,
    /// The elements of the result from one index to the next.
    unit: usize,
}

impl Runs {
    /// A result with these runs, by dimension from the outermost to the innermost.
    pub fn new(dims: impl DoubleEndedIterator<Item = SmallVec<[Run; 3]>>) -> Self {
        let mut all: SmallVec<[Dim; 4]> = SmallVec::new();
        let mut unit = 1;
        for mut runs in dims.rev() {
            runs.retain(|run| run.len > 0);
            let len: usize = runs.iter().map(|run| run.len).sum();
            // An inner dimension that is taken in order as a whole is part of the runs of the one around it.
            if let Some(inner) = all.last()
                && let Some(whole) = inner.whole()
                && let Some(joined) = joined(&runs, whole)
            {
                all.pop();
                unit /= whole.len;
                all.push(Dim { runs: joined, unit });
                unit *= len * whole.len;
                continue;
            }
            all.push(Dim { runs, unit });
            unit *= len;
        }
        all.reverse();
        Self { dims: all }
    }

    /// Writes what lies below dimension `d`; `at` is the offset that the dimensions above add up to.
    fn write_from<W: Word>(
        &self,
        d: usize,
        at: isize,
        source: &[W],
        gap: W,
        out: &mut Cursor<'_, W>,
    ) {
        let dim = &self.dims[d];
        dim.runs
            .iter()
            .for_each(|&run| self.write_run(d, run, at, source, gap, out));
    }

    fn write_run<W: Word>(
        &self,
        d: usize,
        run: Run,
        at: isize,
        source: &[W],
        gap: W,
        out: &mut Cursor<'_, W>,
    ) {
        let is_last = d + 1 == self.dims.len();
        match run.from {
            None => out.repeat(gap, run.len * self.dims[d].unit),
            Some((start, 1)) if is_last => {
                out.copy(&source[(at + start) as usize..][..run.len]);
            }
            Some((start, step)) => {
                let mut at = at + start;
                for _ in 0..run.len {
                    if is_last {
                        out.push(source[at as usize]);
                    } else {
                        self.write_from(d + 1, at, source, gap, out);
                    }
                    at += step;
                }
            }
        }
    }
}

impl Dim {
    /// The only run, when it is dense.
    fn whole(&self) -> Option<Run> {
        match self.runs[..] {
            [run] if run.from.is_some_and(|(_, step)| step == 1) => Some(run),
            _ => None,
        }
    }

    /// The runs of a range of indices, the first and the last cut off where it begins and ends.
    fn within(&self, range: Range<usize>) -> impl Iterator<Item = Run> {
        let mut end = 0;
        self.runs.iter().filter_map(move |&run| {
            let begin = end;
            end += run.len;
            let part = range.start.max(begin)..range.end.min(end);
            (!part.is_empty()).then(|| run.part(part.start - begin..part.end - begin))
        })
    }
}

/// Runs of one dimension with a dense run of the next for each index, where that makes longer runs.
fn joined(runs: &[Run], inner: Run) -> Option<SmallVec<[Run; 3]>> {
    let (inner_start, _) = inner.from?;
    let longer = |run: &Run| match run.from {
        None => Some(Run::gap(run.len * inner.len)),
        Some((start, step)) if step == inner.len as isize || run.len == 1 => {
            Some(Run::of(run.len * inner.len, start + inner_start, 1))
        }
        Some(_) => None,
    };
    runs.iter().map(longer).collect()
}

impl Movement for Runs {
    fn write<'a, W: Word>(
        &self,
        device: &dyn Device,
        source: &[W],
        gap: W,
        dst: &'a mut [MaybeUninit<W>],
    ) -> Result<&'a mut [W]> {
        let Some(dim) = self.dims.first().filter(|_| !dst.is_empty()) else {
            let mut out = Cursor::new(dst);
            out.copy(&source[..out.remaining()]);
            return out.finish();
        };
        Ok(parallel::write(
            device,
            dst,
            dim.unit,
            cost::copy(size_of::<W>()),
            &|start, piece| {
                let (first, n) = (start / dim.unit, piece.len() / dim.unit);
                let mut out = Cursor::new(piece);
                for run in dim.within(first..first + n) {
                    self.write_run(0, run, 0, source, gap, &mut out);
                }
                out.finish().expect("runs as long as there is room for")
            },
        ))
    }

    fn source(&self, mut i: usize) -> Option<usize> {
        let mut at = 0;
        for dim in &self.dims {
            let index = i / dim.unit;
            i %= dim.unit;
            let (start, _) = dim.within(index..index + 1).next()?.from?;
            at += start;
        }
        Some(at as usize)
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;
    use crate::testing::Host;

    fn written(runs: &Runs, n: usize) -> Vec<u8> {
        let source: Vec<u8> = (0..60).collect();
        let mut dst = vec![MaybeUninit::uninit(); n];
        let got = runs.write(&Host::new(), &source, 99, &mut dst);
        let got = got.expect("all written").to_vec();
        let one_by_one = (0..n).map(|i| runs.source(i).map_or(99, |at| source[at]));
        assert!(got.iter().copied().eq(one_by_one));
        got
    }

    #[test]
    fn dimensions_in_order_become_one() {
        let whole = || smallvec![Run::of(5, 0, 1)];
        let padded = smallvec![Run::gap(1), Run::of(2, 5, 5), Run::gap(0)];
        let runs = Runs::new([padded, whole()].into_iter());
        assert_eq!(runs.dims.len(), 1);
        let want = [[99; 5], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14]];
        assert_eq!(written(&runs, 15), want.concat());

        let backwards = smallvec![Run::of(2, 5, -5)];
        let runs = Runs::new([backwards, whole()].into_iter());
        assert_eq!(runs.dims.len(), 2);
        assert_eq!(written(&runs, 10), [5, 6, 7, 8, 9, 0, 1, 2, 3, 4]);
    }

    #[test]
    fn gaps_on_the_inside() {
        let rows = smallvec![Run::of(2, 0, 3)];
        let columns = smallvec![Run::of(1, 1, -1), Run::gap(2), Run::of(2, 1, 1)];
        let runs = Runs::new([rows, columns].into_iter());
        assert_eq!(written(&runs, 10), [1, 99, 99, 1, 2, 4, 99, 99, 4, 5]);
        assert_eq!(written(&Runs::new(std::iter::empty()), 1), [0]);
        let none = smallvec![Run::of(0, 0, 1)];
        assert!(written(&Runs::new([none].into_iter()), 0).is_empty());
    }
}
