//! A bounded queue of tuples of tensors, first in first out, whose users wait for room and for elements.

use std::collections::VecDeque;
use std::fmt::Display;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;
use tfe_core::{DataType, Result, Shape, Tensor, ensure, err};
use tfe_device::Cancellation;

/// An element of a queue: a tensor for each component.
pub(super) type Tuple = SmallVec<[Tensor; 2]>;

/// What a queue holds and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    pub(super) types: Vec<DataType>,
    /// The shape of each component, where shapes were told.
    pub(super) shapes: Option<Vec<Shape>>,
    pub(super) capacity: usize,
}

/// The queue.
///
/// Users are served in the order in which they came, in one line for those who bring elements and in another for those
/// who take some: who wants many elements gets them before who came later and wants one. Closing the queue is waiting
/// in the first line, too, so that what was to be enqueued before still is.
#[derive(Debug)]
pub(super) struct Fifo {
    name: String,
    pub(super) signature: Signature,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    elements: VecDeque<Tuple>,
    closed: bool,
    /// Whether the queue is gone for those who do not use it yet: nobody is served any more.
    gone: bool,
    producers: Line,
    consumers: Line,
}

/// Who waits, by their tickets: the first is served next.
#[derive(Debug, Default)]
struct Line {
    waiting: VecDeque<u64>,
    /// The ticket of who comes next.
    next: u64,
    /// Those before this one who still wait are sent away.
    cancelled: u64,
}

impl State {
    fn close_now(&mut self) {
        self.closed = true;
        self.producers.cancelled = self.producers.next;
    }
}

impl Line {
    fn join(&mut self) -> u64 {
        let ticket = self.next;
        self.next += 1;
        self.waiting.push_back(ticket);
        ticket
    }

    fn leave(&mut self, ticket: u64) {
        self.waiting.retain(|&waiting| waiting != ticket);
    }
}

impl Fifo {
    pub(super) fn new(name: &str, signature: Signature) -> Self {
        Self {
            name: name.to_owned(),
            signature,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that is done under the lock leaves it half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `serve` has an answer, asking whenever something has changed and it is this user's turn. Who is sent
    /// away, or whose run is cancelled, is told so, and has to have an answer: those come out of turn.
    fn wait<O>(
        self: &Arc<Self>,
        cancellation: Option<&Cancellation>,
        line: fn(&mut State) -> &mut Line,
        mut serve: impl FnMut(&mut State, bool) -> Option<O>,
    ) -> O {
        // The lock is taken for waking, so that nobody is about to wait who has not seen the cancellation.
        let _wake = cancellation.map(|cancellation| {
            let queue = Arc::clone(self);
            cancellation.on_cancel(move || {
                let _state = queue.state();
                queue.changed.notify_all();
            })
        });
        let mut state = self.state();
        let ticket = line(&mut state).join();
        loop {
            let is_first = line(&mut state).waiting.front() == Some(&ticket);
            let is_cancelled = ticket < line(&mut state).cancelled
                || cancellation.is_some_and(Cancellation::is_cancelled);
            if is_first || is_cancelled {
                let size = state.elements.len();
                if let Some(answer) = serve(&mut state, is_cancelled) {
                    line(&mut state).leave(ticket);
                    self.changed.notify_all();
                    return answer;
                }
                // Half of the work is of use to the other line already.
                if state.elements.len() != size {
                    self.changed.notify_all();
                }
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Puts `n` elements at the end, each as soon as there is room for it; `element` makes them.
    ///
    /// # Errors
    /// `Cancelled` when the queue is closed or the run is cancelled; those of `element`.
    pub(super) fn enqueue(
        self: &Arc<Self>,
        n: usize,
        cancellation: Option<&Cancellation>,
        element: impl Fn(usize) -> Result<Tuple>,
    ) -> Result<()> {
        let mut elements = (0..n).map(element).peekable();
        if n == 0 {
            return Ok(());
        }
        self.wait(
            cancellation,
            |state| &mut state.producers,
            |state, is_cancelled| {
                if is_cancelled {
                    return Some(Err(err!(Cancelled, "Enqueue operation was cancelled")));
                }
                if state.closed {
                    return Some(Err(err!(Cancelled, "FIFOQueue '{}' is closed.", self.name)));
                }
                while state.elements.len() < self.signature.capacity {
                    match elements.next() {
                        Some(Ok(element)) => state.elements.push_back(element),
                        Some(Err(e)) => return Some(Err(e)),
                        None => break,
                    }
                }
                elements.peek().is_none().then_some(Ok(()))
            },
        )
    }

    /// Takes `n` elements from the front, each as soon as it is there.
    ///
    /// # Errors
    /// `OutOfRange` when the queue is closed and has fewer; they stay there. With `or_fewer` that is an error only when
    /// there is none at all. `Cancelled` when the queue is gone or the run is cancelled; what was taken is put back.
    pub(super) fn dequeue(
        self: &Arc<Self>,
        n: usize,
        or_fewer: bool,
        cancellation: Option<&Cancellation>,
    ) -> Result<Vec<Tuple>> {
        let mut taken = Vec::new();
        if n == 0 {
            return Ok(taken);
        }
        self.wait(
            cancellation,
            |state| &mut state.consumers,
            |state, is_cancelled| {
                if state.gone || is_cancelled {
                    put_back(state, &mut taken);
                    return Some(Err(err!(Cancelled, "Dequeue operation was cancelled")));
                }
                let missing = n - taken.len();
                let here = missing.min(state.elements.len());
                taken.extend(state.elements.drain(..here));
                if here == missing || state.closed && or_fewer && !taken.is_empty() {
                    return Some(Ok(std::mem::take(&mut taken)));
                }
                if !state.closed {
                    return None;
                }
                let size = taken.len();
                put_back(state, &mut taken);
                Some(Err(err!(
                    OutOfRange,
                    "FIFOQueue '{}' is closed and has insufficient elements (requested {n}, current size {size})",
                    self.name
                )))
            },
        )
    }

    /// Lets nobody enqueue any more, once those who came before are done.
    ///
    /// # Errors
    /// `Cancelled` when it is closed already, or the run is cancelled before.
    pub(super) fn close(self: &Arc<Self>, cancellation: Option<&Cancellation>) -> Result<()> {
        self.wait(
            cancellation,
            |state| &mut state.producers,
            |state, is_cancelled| {
                Some(if state.closed {
                    Err(err!(Cancelled, "Queue '{}' is already closed.", self.name))
                } else if is_cancelled {
                    Err(err!(Cancelled, "Close operation was cancelled"))
                } else {
                    state.closed = true;
                    Ok(())
                })
            },
        )
    }

    /// Lets nobody enqueue any more, not even those who wait.
    pub(super) fn close_now(&self) {
        self.state().close_now();
        self.changed.notify_all();
    }

    /// Sends all away who wait.
    pub(super) fn cancel(&self) {
        let mut state = self.state();
        state.close_now();
        state.gone = true;
        self.changed.notify_all();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state().closed
    }

    pub(super) fn len(&self) -> usize {
        self.state().elements.len()
    }

    /// Checks that tensors of these types are what the queue holds.
    ///
    /// # Errors
    /// `InvalidArgument`.
    pub(super) fn check_types(&self, types: &[DataType]) -> Result<()> {
        let want = &self.signature.types;
        ensure!(
            types == want,
            InvalidArgument,
            "Signature mismatch: FIFOQueue '{}' holds ({}) but the op is for ({})",
            self.name,
            listed(want),
            listed(types)
        );
        Ok(())
    }

    /// Checks that a queue is what a client wants one of its name to be.
    ///
    /// # Errors
    /// `InvalidArgument`.
    pub(super) fn check_same(&self, wanted: &Signature) -> Result<()> {
        let has = &self.signature;
        let check = |what: &str, has: String, wanted: String| {
            ensure!(
                has == wanted,
                InvalidArgument,
                "Shared queue '{}' has {what} {has} but {wanted} is requested",
                self.name
            );
            Ok(())
        };
        let capacity = |s: &Signature| s.capacity.to_string();
        let types = |s: &Signature| listed(&s.types);
        let shapes = |s: &Signature| format!("[{}]", listed(s.shapes.as_deref().unwrap_or(&[])));
        check("capacity", capacity(has), capacity(wanted))?;
        check("component types", types(has), types(wanted))?;
        check("component shapes", shapes(has), shapes(wanted))
    }
}

/// Puts elements back where they were taken.
fn put_back(state: &mut State, taken: &mut Vec<Tuple>) {
    let taken = taken.drain(..).rev();
    taken.for_each(|element| state.elements.push_front(element));
}

fn listed(entries: &[impl Display]) -> String {
    let entries: Vec<_> = entries.iter().map(ToString::to_string).collect();
    entries.join(", ")
}
