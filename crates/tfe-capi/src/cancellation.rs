//! `TFE_CancellationManager` (`eager/c_api_experimental.h`): what a program cancels calls by.
#![expect(unsafe_code, reason = "exported to C")]

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::guard::{given, guard, shield};
use crate::{TF_Status, TFE_Op};

/// A place for a callback.
pub type TFE_CancellationToken = i64;

/// A function of the caller and what it is called with.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TFE_CancelCallback {
    callback: Option<unsafe extern "C" fn(*mut c_void)>,
    context: *mut c_void,
}

// SAFETY: the header says that the callback is called on the thread that cancels.
unsafe impl Send for TFE_CancelCallback {}

/// What a program cancels calls by.
#[derive(Debug, Default)]
pub struct TFE_CancellationManager(Arc<Cancellation>);

/// The state, which ops look at as long as the manager is there.
#[derive(Default)]
pub(crate) struct Cancellation {
    state: Mutex<State>,
    done: Condvar,
    /// What the calls themselves are ended by.
    of_runs: tfe_eager::Cancellation,
}

#[derive(Default)]
struct State {
    phase: Phase,
    callbacks: BTreeMap<TFE_CancellationToken, TFE_CancelCallback>,
    next_token: TFE_CancellationToken,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Live,
    /// Callbacks run, on that thread.
    Cancelling(Thread),
    Cancelled,
}

/// A thread that runs: no other that runs has the number.
type Thread = usize;

/// This thread. Its handle from the standard library would be memory that a program's main thread never frees.
fn this_thread() -> Thread {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

impl Cancellation {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code of anybody's runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the calls themselves are ended by.
    pub(crate) fn of_runs(&self) -> tfe_eager::Cancellation {
        self.of_runs.clone()
    }

    /// Whether it was cancelled, or is being so.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.state().phase != Phase::Live
    }

    fn cancel(&self) {
        let mut state = self.state();
        if state.phase != Phase::Live {
            return;
        }
        state.phase = Phase::Cancelling(this_thread());
        let callbacks = std::mem::take(&mut state.callbacks);
        drop(state);
        self.of_runs.cancel();
        for TFE_CancelCallback { callback, context } in callbacks.into_values() {
            if let Some(callback) = callback {
                // SAFETY: called as the client promised when it registered it, once.
                unsafe { callback(context) };
            }
        }
        self.state().phase = Phase::Cancelled;
        self.done.notify_all();
    }

    fn register(&self, token: TFE_CancellationToken, callback: TFE_CancelCallback) -> bool {
        let mut state = self.state();
        let is_live = state.phase == Phase::Live;
        if is_live {
            state.callbacks.insert(token, callback);
        }
        is_live
    }

    /// Drops a callback; with `wait`, not before all have returned where they run on another thread.
    fn deregister(&self, token: TFE_CancellationToken, wait: bool) -> bool {
        let mut state = self.state();
        if state.phase == Phase::Live {
            state.callbacks.remove(&token);
            return true;
        }
        let me = this_thread();
        let runs_elsewhere =
            |state: &mut State| matches!(state.phase, Phase::Cancelling(thread) if thread != me);
        if wait {
            let ended = self.done.wait_while(state, runs_elsewhere);
            drop(ended);
        }
        false
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cancellation({})", self.is_cancelled())
    }
}

/// A new manager.
#[unsafe(no_mangle)]
pub extern "C" fn TFE_NewCancellationManager() -> Option<Box<TFE_CancellationManager>> {
    Some(Box::default())
}

/// Cancels and deletes a manager.
///
/// # Safety
/// As [the crate](crate#safety) says; the callbacks may use the manager, but not delete it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_DeleteCancellationManager(manager: *mut TFE_CancellationManager) {
    // SAFETY: null or a manager.
    let Some(cancellation) = (unsafe { manager.as_ref() }) else {
        return;
    };
    shield((), || {
        cancellation.0.cancel();
        Ok(())
    });
    // SAFETY: it came from `TFE_NewCancellationManager`, and nobody uses it any more.
    drop(unsafe { Box::from_raw(manager) });
}

/// Whether all callbacks have returned; false for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_CancellationManagerIsCancelled(
    manager: Option<&TFE_CancellationManager>,
) -> bool {
    manager.is_some_and(|manager| manager.0.state().phase == Phase::Cancelled)
}

/// Whether callbacks run; false for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_CancellationManagerIsCancelling(
    manager: Option<&TFE_CancellationManager>,
) -> bool {
    manager.is_some_and(|manager| matches!(manager.0.state().phase, Phase::Cancelling(_)))
}

/// Calls the callbacks.
///
/// # Safety
/// As [the crate](crate#safety) says; the callbacks may use the manager, but not delete it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_CancellationManagerStartCancel(
    manager: Option<&TFE_CancellationManager>,
) {
    shield((), || {
        given(manager, "manager")?.0.cancel();
        Ok(())
    });
}

/// A new token; -1 for null.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_CancellationManagerGetToken(
    manager: Option<&TFE_CancellationManager>,
) -> TFE_CancellationToken {
    manager.map_or(-1, |manager| {
        let mut state = manager.0.state();
        let token = state.next_token;
        state.next_token += 1;
        token
    })
}

/// Registers a callback.
///
/// # Safety
/// As [the crate](crate#safety) says; the callback may be called once with its context, on any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_CancellationManagerRegisterCallback(
    manager: Option<&TFE_CancellationManager>,
    token: TFE_CancellationToken,
    c_callback: Option<&TFE_CancelCallback>,
    _callback_name: *const c_char,
) -> bool {
    shield(false, || {
        let callback = given(c_callback, "c_callback")?;
        Ok(given(manager, "manager")?.0.register(token, *callback))
    })
}

/// Drops a callback.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_CancellationManagerDeregisterCallback(
    manager: Option<&TFE_CancellationManager>,
    token: TFE_CancellationToken,
) -> bool {
    manager.is_some_and(|manager| manager.0.deregister(token, true))
}

/// Drops a callback, without waiting.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_CancellationManagerTryDeregisterCallback(
    manager: Option<&TFE_CancellationManager>,
    token: TFE_CancellationToken,
) -> bool {
    manager.is_some_and(|manager| manager.0.deregister(token, false))
}

/// Lets a manager cancel an op.
///
/// # Safety
/// As [the crate](crate#safety) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_OpSetCancellationManager(
    op: Option<&mut TFE_Op>,
    cancellation_manager: Option<&TFE_CancellationManager>,
    status: *mut TF_Status,
) {
    let set = || {
        given(op, "op")?.set_cancellation(cancellation_manager.map(|manager| &manager.0));
        Ok(())
    };
    // SAFETY: null or a status of the caller's.
    unsafe { guard(status, (), set) }
}
