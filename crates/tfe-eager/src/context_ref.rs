//! `ContextRef`: the reference that an op holds to its context.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::Arc;

use crate::shared::Shared;

thread_local! {
    /// What the last op of this thread has left for the next.
    static SPARE: Cell<Option<Arc<Shared>>> = const { Cell::new(None) };
}

/// A counted reference to the state of a context.
///
/// Counting each op would have all threads write one word. So the last op of a thread leaves its reference there, and the
/// next op of the same context takes it: ops one after another count nothing. A thread that runs no more ops keeps the
/// state of a context that was closed, until it ends.
pub(crate) struct ContextRef(Option<Arc<Shared>>);

impl ContextRef {
    #[inline]
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        // There is none while the thread ends.
        match SPARE.try_with(Cell::take) {
            Ok(Some(spare)) if Arc::ptr_eq(&spare, shared) => Self(Some(spare)),
            _ => Self::counted(shared),
        }
    }

    #[cold]
    fn counted(shared: &Arc<Shared>) -> Self {
        Self(Some(Arc::clone(shared)))
    }

    /// Another reference to the same state.
    pub(crate) fn another(&self) -> Self {
        Self(self.0.clone())
    }

    /// Drops what this thread has left of a context.
    pub(crate) fn forget_spare(shared: &Arc<Shared>) {
        drop(Self::new(shared).0.take());
    }
}

impl Deref for ContextRef {
    type Target = Shared;

    #[inline]
    fn deref(&self) -> &Shared {
        self.0.as_ref().expect("held until dropped")
    }
}

impl Drop for ContextRef {
    #[inline]
    fn drop(&mut self) {
        let shared = self.0.take();
        if shared.as_ref().is_some_and(|shared| !shared.is_closed()) {
            // The one before is dropped here, when nothing is borrowed: it may be the last of its context.
            drop(SPARE.try_with(|spare| spare.replace(shared)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;

    #[test]
    fn one_op_after_another_counts_nothing() {
        let ctx = Context::new().expect("a context");
        let count = || Arc::strong_count(ctx.shared());
        let first = ctx.op("NoOp").expect("an op");
        let counted = count();
        drop(first);
        for _ in 0..3 {
            assert_eq!(count(), counted);
            let op = ctx.op("NoOp").expect("an op");
            assert_eq!(count(), counted);
            drop(op);
        }
        // Two at once are two; the second is given up when both are gone.
        let both = (ctx.op("NoOp"), ctx.op("NoOp"));
        assert_eq!(count(), counted + 1);
        drop(both);
        assert_eq!(count(), counted);
        // An op of another context takes the place.
        drop(Context::new().and_then(|other| other.op("NoOp")));
        let shared = Arc::clone(ctx.shared());
        drop(ctx);
        assert_eq!(Arc::strong_count(&shared), 1);
    }
}
