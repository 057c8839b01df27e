//! `TFE_Execute` (`eager/c_api.h`).
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use tfe_core::{Result, ensure};
use tfe_eager::Outputs;

use crate::guard::{given, guard, room};
use crate::{TF_Status, TFE_Op, TFE_TensorHandle};

/// Where the results go: the caller's array and its length.
pub(crate) struct Results<'a> {
    room: &'a mut [MaybeUninit<*mut TFE_TensorHandle>],
    count: Option<&'a mut c_int>,
}

impl<'a> Results<'a> {
    /// # Safety
    /// `num_retvals` is null or leads to a number, and `retvals` is null or leads to room for so many handles; nobody else
    /// uses them for `'a`.
    #[inline]
    pub(crate) unsafe fn new(retvals: *mut *mut TFE_TensorHandle, num_retvals: *mut c_int) -> Self {
        // SAFETY: null or a number of the caller's.
        let count = unsafe { num_retvals.as_mut() };
        let len = count.as_deref().copied().unwrap_or(0);
        // SAFETY: null or an array of the caller's.
        let room = unsafe { room(retvals, len, "retvals") }.unwrap_or_default();
        Self { room, count }
    }

    /// Checks that the caller gave a number at all.
    #[inline]
    pub(crate) fn check_count(&self) -> Result<()> {
        given(self.count.as_ref(), "num_retvals").map(drop)
    }

    /// Checks that the room is there that the number tells.
    pub(crate) fn check_room(&self) -> Result<()> {
        let told = usize::try_from(self.told()).unwrap_or(0);
        ensure!(self.room.len() == told, InvalidArgument, "retvals is NULL");
        Ok(())
    }

    /// Checks that `outputs` results have room.
    #[inline]
    fn accept(&self, outputs: usize) -> Result<()> {
        if self.room.len() >= outputs {
            return Ok(());
        }
        let told = self.told();
        ensure!(
            usize::try_from(told).is_ok_and(|n| n >= outputs),
            InvalidArgument,
            "Expecting {outputs} outputs, but *num_retvals is {told}"
        );
        self.check_room()
    }

    fn told(&self) -> c_int {
        self.count.as_deref().copied().unwrap_or(0)
    }

    /// Hands out as many results as there is room for.
    #[inline]
    pub(crate) fn give(&mut self, outputs: Outputs) {
        let mut given = 0;
        for (slot, output) in self.room.iter_mut().zip(outputs) {
            slot.write(Box::into_raw(output.into()));
            given += 1;
        }
        if let Some(count) = &mut self.count {
            **count = given;
        }
    }

    /// Leaves null everywhere.
    #[cold]
    pub(crate) fn fail(&mut self) {
        self.room.fill(MaybeUninit::new(null_mut()));
    }
}

/// Runs an op.
///
/// # Safety
/// As [the crate](crate#safety) says; `retvals` leads to room for `*num_retvals` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_Execute(
    op: Option<&mut TFE_Op>,
    retvals: *mut *mut TFE_TensorHandle,
    num_retvals: *mut c_int,
    status: *mut TF_Status,
) {
    // SAFETY: the caller's array and number.
    let mut results = unsafe { Results::new(retvals, num_retvals) };
    let execute = || {
        results.check_count()?;
        let op = given(op, "op")?;
        let outputs = op.op.execute_if(|n| results.accept(n));
        op.forget_inputs();
        results.give(outputs?);
        Ok(true)
    };
    // SAFETY: null or a status of the caller's.
    if !unsafe { guard(status, false, execute) } {
        results.fail();
    }
}
