//! `TFE_Executor` (`eager/c_api_experimental.h`): what TensorFlow queues calls in. Here they run at once, so that an
//! executor is no more than what a program said of it.
#![expect(unsafe_code, reason = "exported to C")]

use std::cell::Cell;
use std::ffi::c_int;

use thread_local::ThreadLocal;

use crate::guard::{given, guard, shield};
use crate::{TF_Status, TFE_Context};

/// What a program said of an executor.
#[derive(Clone, Copy, Debug, Default)]
pub struct TFE_Executor {
    is_async: bool,
}

/// The executors of a context.
#[derive(Debug, Default)]
pub(crate) struct Executors {
    of_context: TFE_Executor,
    of_threads: ThreadLocal<Cell<Option<TFE_Executor>>>,
}

impl Executors {
    pub(crate) fn new(is_async: bool) -> Self {
        Self {
            of_context: TFE_Executor { is_async },
            ..Self::default()
        }
    }

    fn of_this_thread(&self) -> TFE_Executor {
        let own = self.of_threads.get().and_then(Cell::get);
        own.unwrap_or(self.of_context)
    }
}

/// A new executor.
#[unsafe(no_mangle)]
pub extern "C" fn TFE_NewExecutor(
    is_async: bool,
    _enable_streaming_enqueue: bool,
    _in_flight_nodes_limit: c_int,
) -> Option<Box<TFE_Executor>> {
    Some(Box::new(TFE_Executor { is_async }))
}

/// Deletes an executor.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_DeleteExecutor(executor: Option<Box<TFE_Executor>>) {
    drop(executor);
}

/// What the program said when it made the executor; false for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ExecutorIsAsync(executor: Option<&TFE_Executor>) -> bool {
    executor.is_some_and(|executor| executor.is_async)
}

/// Waits for calls, of which there are none.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ExecutorWaitForAllPendingNodes(
    executor: Option<&TFE_Executor>,
    status: *mut TF_Status,
) {
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), || given(executor, "executor").map(drop)) }
}

/// Clears an error, which there never is.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ExecutorClearError(_executor: Option<&TFE_Executor>) {}

/// Sets the executor of this thread.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextSetExecutorForThread(
    ctx: Option<&TFE_Context>,
    executor: Option<&TFE_Executor>,
) {
    shield((), || {
        let executors = &given(ctx, "ctx")?.executors;
        executors.of_threads.get_or_default().set(executor.copied());
        Ok(())
    });
}

/// The executor of this thread, as an object of its own.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextGetExecutorForThread(
    ctx: Option<&TFE_Context>,
) -> Option<Box<TFE_Executor>> {
    let executor = || Ok(Some(given(ctx, "ctx")?.executors.of_this_thread().into()));
    shield(None, executor)
}

/// Waits for the calls of all threads, of which there are none.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_ContextAsyncWait(ctx: Option<&TFE_Context>, status: *mut TF_Status) {
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), || given(ctx, "ctx").map(drop)) }
}
