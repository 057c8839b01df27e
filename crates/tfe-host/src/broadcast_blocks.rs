//! The elements of broadcast inputs, block after block in the order of the output.

use std::ops::Range;

use crate::broadcast::{Broadcast, Rows};
use crate::function::{SCRATCH, Scratch};
use crate::loops;

/// Rows shorter than this are not worth a block each: several are spread out together.
const SHORT_ROW: usize = 32;

/// Elements of the output at whose multiples a feed may begin.
pub fn unit<const N: usize>(fitted: &Broadcast<N>) -> usize {
    match fitted.row_len() {
        row if row < SHORT_ROW => row.max(1),
        _ => 1,
    }
}

/// Hands out blocks of the elements of `N` inputs that belong to successive elements of the output: where they lie if
/// they lie there one after the other, else spread out in a buffer.
pub struct Feed<'f, const N: usize> {
    inputs: [Input<'f>; N],
    rows: Rows<N>,
    row: usize,
    /// The next element of the output.
    at: usize,
    /// Where the current row begins in each input.
    starts: [usize; N],
    /// The most elements of a block.
    room: usize,
}

struct Input<'f> {
    data: &'f [u8],
    /// Bytes of an element.
    width: usize,
    source: Source,
    buffer: &'f mut [u8],
    /// Whether what the buffer holds once is good for all blocks.
    keeps: bool,
    full: bool,
    /// Whether it advances along a row.
    moves: bool,
}

/// Where the elements of a block are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// Somewhere else: the input is not given.
    Elsewhere,
    /// In the input, one for each of the output.
    Dense,
    /// In the input, one after the other as long as the row lasts.
    Row,
    /// In the buffer: the one element of this row, repeated.
    Repeated,
    /// In the buffer: those of several rows.
    Spread,
}

impl<'f, const N: usize> Feed<'f, N> {
    /// A feed for the elements `place` of the output, from inputs with elements of `widths` bytes. An input that is not
    /// given has an element for each of the output, and its blocks are empty.
    ///
    /// `place` begins at a multiple of [`unit`](fn@unit); buffers come from `memory`.
    pub fn new(
        fitted: &Broadcast<N>,
        widths: [usize; N],
        inputs: [Option<&'f [u8]>; N],
        place: Range<usize>,
        memory: &'f mut [Scratch; N],
    ) -> Self {
        let row = fitted.row_len();
        let (inner, outer) = fitted
            .dims
            .split_last()
            .map_or((None, &[][..]), |(i, o)| (Some(i), o));
        let widest = widths.into_iter().max().unwrap_or(1);
        let room = SCRATCH / widest;
        let mut memory = memory.iter_mut();
        let inputs = std::array::from_fn(|k| {
            let moves = inner.is_some_and(|d| d.moves[k]);
            let source = match inputs[k] {
                None => Source::Elsewhere,
                Some(_) if fitted.is_dense(k) => Source::Dense,
                Some(_) if row < SHORT_ROW => Source::Spread,
                Some(_) if moves => Source::Row,
                Some(_) => Source::Repeated,
            };
            let buffered = match source {
                Source::Spread | Source::Repeated => place.len().min(room) * widths[k],
                _ => 0,
            };
            let memory = memory.next().expect("a buffer for each input");
            Input {
                data: inputs[k].unwrap_or_default(),
                width: widths[k],
                source,
                buffer: loops::repeat(&mut memory.0[..buffered], 0),
                keeps: outer.iter().all(|d| !d.moves[k]),
                full: false,
                moves,
            }
        });
        let mut feed = Self {
            inputs,
            rows: fitted.rows(place.start / row.max(1)),
            row,
            at: place.start,
            starts: [0; N],
            room,
        };
        if !place.start.is_multiple_of(row.max(1)) {
            // In the middle of a row, which none but long ones are cut in.
            feed.enter_row();
        }
        feed
    }

    /// How many elements the next block has, if `rest` are still wanted.
    pub fn block(&self, rest: usize) -> usize {
        let long = if self.row < SHORT_ROW {
            self.room / self.row * self.row
        } else {
            self.room.min(self.row - self.at % self.row)
        };
        rest.min(long)
    }

    /// The elements for the next `n` of the output; `n` is what [`block`](Self::block) said.
    pub fn next(&mut self, n: usize) -> [&[u8]; N] {
        let (at, offset) = (self.at, self.at % self.row);
        self.at += n;
        if self.row < SHORT_ROW {
            self.spread_rows(n);
        } else if offset == 0 {
            self.enter_row();
        }
        std::array::from_fn(|k| {
            let input = &self.inputs[k];
            let from = match input.source {
                Source::Elsewhere => return &[][..],
                Source::Spread | Source::Repeated => return &input.buffer[..n * input.width],
                Source::Dense => at,
                Source::Row => self.starts[k] + offset,
            };
            &input.data[from * input.width..][..n * input.width]
        })
    }

    /// Goes on to the next row, one that is not short.
    fn enter_row(&mut self) {
        self.starts = self.rows.advance();
        for (input, start) in self.inputs.iter_mut().zip(self.starts) {
            if input.source == Source::Repeated && input.wants_filling() {
                spread(input, usize::MAX, usize::MAX, &mut || start);
            }
        }
    }

    /// Spreads out the next `n` elements, of short rows.
    fn spread_rows(&mut self, n: usize) {
        let mut after = None;
        for (k, input) in self.inputs.iter_mut().enumerate() {
            if input.source == Source::Spread && input.wants_filling() {
                let rows = after.insert(self.rows.clone());
                spread(input, n, self.row, &mut || rows.advance()[k]);
            }
        }
        // Where nothing was spread out nothing ever will be, and nobody asks where the rows are.
        if let Some(rows) = after {
            self.rows = rows;
        }
    }
}

impl Input<'_> {
    fn wants_filling(&mut self) -> bool {
        !std::mem::replace(&mut self.full, true) || !self.keeps
    }
}

/// Writes `n` elements to the buffer of an input, or as many as there is room for: rows of `row` elements, of which the
/// first is element `next()` of the input, and the others follow or are the same.
fn spread(input: &mut Input<'_>, n: usize, row: usize, next: &mut dyn FnMut() -> usize) {
    fn of_width<const W: usize>(
        input: &mut Input<'_>,
        n: usize,
        row: usize,
        next: &mut dyn FnMut() -> usize,
    ) {
        let (data, buffer) = (
            input.data.as_chunks::<W>().0,
            input.buffer.as_chunks_mut::<W>().0,
        );
        let n = n.min(buffer.len());
        for slots in buffer[..n].chunks_mut(row) {
            let elements = &data[next()..];
            if input.moves {
                // Too short for a call of `memcpy`.
                for (slot, element) in slots.iter_mut().zip(elements) {
                    *slot = *element;
                }
            } else {
                slots.fill(elements[0]);
            }
        }
    }
    match input.width {
        1 => of_width::<1>(input, n, row, next),
        2 => of_width::<2>(input, n, row, next),
        4 => of_width::<4>(input, n, row, next),
        8 => of_width::<8>(input, n, row, next),
        _ => of_width::<16>(input, n, row, next),
    }
}
