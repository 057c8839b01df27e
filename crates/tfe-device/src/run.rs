//! One run of an op: where it runs, and what goes with it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Device, FunctionLibrary, NoFunctions};

/// What surrounds a run of a kernel. A function hands it on to the kernels in it.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// Where the kernel runs.
    pub device: &'a dyn Device,
    /// Functions that it may call.
    pub functions: &'a dyn FunctionLibrary,
    /// Ends the run early.
    pub cancellation: Option<&'a Cancellation>,
    /// The step that it belongs to: kernels of one step may share things that go with it.
    pub step: u64,
    /// The stream of the device that the work goes to, 0 by default.
    pub stream: u32,
    /// The node, for messages; empty when the op runs alone.
    pub node: &'a str,
}

impl<'a> Run<'a> {
    /// A run on `device` by itself.
    #[inline]
    pub fn on(device: &'a dyn Device) -> Self {
        Self {
            device,
            functions: &NoFunctions,
            cancellation: None,
            step: 0,
            stream: 0,
            node: "",
        }
    }
}

/// What is called when a run is cancelled: it wakes who waits, and returns soon.
type Callback = Box<dyn FnOnce() + Send>;

/// Cancels runs: those that wait are woken, the others look at it between two pieces of work. A clone is the same one.
#[derive(Clone, Default)]
pub struct Cancellation(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    is_cancelled: bool,
    callbacks: BTreeMap<u64, Callback>,
    next: u64,
}

impl Cancellation {
    /// One that nobody has cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.state().is_cancelled
    }

    /// Cancels; calls what was registered, on this thread, without holding a lock.
    pub fn cancel(&self) {
        let callbacks = {
            let mut state = self.state();
            state.is_cancelled = true;
            std::mem::take(&mut state.callbacks)
        };
        for (_, callback) in callbacks {
            callback();
        }
    }

    /// Has `callback` called when it is cancelled: at once when it was already. Dropping what comes back takes that back.
    pub fn on_cancel(&self, callback: impl FnOnce() + Send + 'static) -> OnCancel {
        let mut state = self.state();
        let id = state.next;
        state.next += 1;
        if state.is_cancelled {
            drop(state);
            callback();
        } else {
            state.callbacks.insert(id, Box::new(callback));
        }
        OnCancel {
            cancellation: self.clone(),
            id,
        }
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cancellation({})", self.is_cancelled())
    }
}

/// A callback that waits for a cancellation; taken back when dropped.
#[derive(Debug)]
#[must_use = "the callback is taken back when this is dropped"]
pub struct OnCancel {
    cancellation: Cancellation,
    id: u64,
}

impl Drop for OnCancel {
    fn drop(&mut self) {
        // Dropped outside of the lock: it may own something that cancels.
        let callback = self.cancellation.state().callbacks.remove(&self.id);
        drop(callback);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn callbacks_are_called_once_or_taken_back() {
        let count = Arc::new(AtomicU32::new(0));
        let add = |n: u32| {
            let count = Arc::clone(&count);
            move || {
                count.fetch_add(n, Ordering::Relaxed);
            }
        };
        let cancellation = Cancellation::new();
        let _kept = cancellation.on_cancel(add(1));
        drop(cancellation.on_cancel(add(10)));
        assert!(!cancellation.is_cancelled());
        cancellation.cancel();
        cancellation.cancel();
        assert_eq!(count.load(Ordering::Relaxed), 1);
        let _late = cancellation.on_cancel(add(100));
        assert_eq!(count.load(Ordering::Relaxed), 101);
    }
}
