//! `TFE_Execute` (`eager/c_api.h`).
#![expect(unsafe_code, reason = "exported to C")]

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr::null_mut;

use tfe_core::{Result, ensure, err};
use tfe_eager::TensorHandle;

use crate::guard::{as_ref, given, guard};
use crate::{TF_Status, TFE_Op, TFE_TensorHandle};

/// Where the results go. Not a slice: there are callers that say a greater number than their array has places, so that
/// no place counts before the number of results is known, and none behind them at any time.
pub(crate) struct Results<'a> {
    places: *mut *mut TFE_TensorHandle,
    num_retvals: Option<&'a Cell<c_int>>,
    /// How many results there are, once they are welcome.
    accepted: Cell<usize>,
    /// How many were handed out.
    given: Cell<usize>,
}

impl Results<'_> {
    /// # Safety
    /// `num_retvals` is null or leads to a number, and `retvals` is null or leads to room for so many handles as the op has
    /// results and the number allows; nobody else uses them as long as this lives.
    #[inline]
    pub(crate) unsafe fn new(retvals: *mut *mut TFE_TensorHandle, num_retvals: *mut c_int) -> Self {
        // SAFETY: null or a number of the caller's, which nobody else uses.
        let num_retvals = unsafe { as_ref(num_retvals.cast::<Cell<c_int>>(), "num_retvals") };
        Self {
            places: retvals,
            num_retvals: num_retvals.ok(),
            accepted: Cell::new(0),
            given: Cell::new(0),
        }
    }

    /// How many results the caller says there is room for.
    #[inline]
    pub(crate) fn room(&self) -> Result<c_int> {
        Ok(given(self.num_retvals, "num_retvals")?.get())
    }

    /// Says how many results there are, if there is room for them.
    #[inline]
    pub(crate) fn accept(&self, results: usize) -> Result<()> {
        let room = given(self.num_retvals, "num_retvals")?;
        let fits = c_int::try_from(results)
            .ok()
            .filter(|&n| n <= room.get())
            .ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "Expecting {results} outputs, but *num_retvals is {}",
                    room.get()
                )
            })?;
        ensure!(
            results == 0 || !self.places.is_null(),
            InvalidArgument,
            "retvals is NULL"
        );
        room.set(fits);
        self.accepted.set(results);
        Ok(())
    }

    /// Hands out a result if it was accepted.
    #[inline]
    pub(crate) fn give(&self, result: TensorHandle) {
        let i = self.given.get();
        if i < self.accepted.get() {
            self.put(i, Box::into_raw(result.into()));
            self.given.set(i + 1);
        }
    }

    /// Leaves null in place of the results that were accepted.
    #[cold]
    pub(crate) fn fail(self) {
        for i in 0..self.accepted.get() {
            self.put(i, null_mut());
        }
    }

    #[inline]
    fn put(&self, i: usize, handle: *mut TFE_TensorHandle) {
        assert!(i < self.accepted.get());
        let place = self.places.wrapping_add(i);
        // SAFETY: `accept` saw that the caller has a place for this result.
        unsafe { place.write(handle) };
    }
}

/// Runs an op.
///
/// # Safety
/// As [the crate](crate#safety) says; `retvals` leads to room for the op's results, if `*num_retvals` is as great.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TFE_Execute(
    op: Option<&mut TFE_Op>,
    retvals: *mut *mut TFE_TensorHandle,
    num_retvals: *mut c_int,
    status: *mut TF_Status,
) {
    // SAFETY: the caller's array and number.
    let results = unsafe { Results::new(retvals, num_retvals) };
    let execute = || {
        let room = usize::try_from(results.room()?).unwrap_or(0);
        let op = given(op, "op")?;
        op.check_cancelled()?;
        let accept = |count| results.accept(count);
        let done = op
            .op
            .execute_into(room, accept, |output| results.give(output));
        op.forget_inputs();
        done.map(|()| true)
    };
    // SAFETY: null or a status of the caller's.
    let done = unsafe { guard(status, false, execute) };
    if !done {
        results.fail();
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use tfe_core::{Code, Result, Tensor};
    use tfe_device::{Kernel, KernelContext, KernelDef, KernelInit};
    use tfe_eager::Context;
    use tfe_ops::ops;

    use super::*;
    use crate::*;

    fn faulty(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
        Ok(Box::new(|_: &mut KernelContext<'_>| panic!("planted")))
    }

    static FAULTY: KernelDef = KernelDef::on("CPU", ops::IDENTITY, faulty);

    /// Adds an input and executes; gives the code, the message, the result and the number of results.
    fn execute(
        op: &mut TFE_Op,
        input: &TFE_TensorHandle,
    ) -> (Code, String, *mut TFE_TensorHandle, c_int) {
        let mut status = TF_NewStatus().expect("a status");
        let status = &raw mut *status;
        // SAFETY: live objects of this test.
        unsafe { TFE_OpAddInput(Some(op), Some(input), status) };
        let (mut result, mut count) = (null_mut::<u64>().wrapping_add(1).cast(), 1);
        // SAFETY: as above, and room for one result.
        unsafe { TFE_Execute(Some(op), &raw mut result, &raw mut count, status) };
        // SAFETY: a live status.
        let status = unsafe { status.as_ref() };
        // SAFETY: the same.
        let code = Code::from_number(unsafe { TF_GetCode(status) });
        // SAFETY: the same.
        let message = unsafe { TF_Message(status) };
        // SAFETY: a C string that lives until the status changes.
        let message = unsafe { CStr::from_ptr(message) };
        (code, message.to_string_lossy().into_owned(), result, count)
    }

    #[test]
    fn a_fault_in_a_kernel_is_a_status() {
        let build = Context::builder().kernels([&FAULTY]).build();
        let context = Box::into_raw(Box::new(TFE_Context::from(build.expect("a context"))));
        let tensor = Tensor::scalar(1.0f32).expect("memory");
        let input = TFE_TensorHandle(tfe_eager::TensorHandle::new(tensor));
        // SAFETY: a live context that outlives the op.
        let op = unsafe { TFE_NewOp(context, c"Identity".as_ptr(), null_mut()) };
        let mut op = op.expect("an op");
        for _ in 0..2 {
            let (code, message, result, count) = execute(&mut op, &input);
            assert_eq!(code, Code::Internal);
            assert!(message.contains("planted"), "{message}");
            assert!(result.is_null() && count == 1);
        }
        // The op has no inputs left and is as good as any other.
        // SAFETY: a live op.
        unsafe {
            TFE_OpReset(
                Some(&mut op),
                c"NoOp".as_ptr(),
                std::ptr::null(),
                null_mut(),
            )
        };
        let mut count = 0;
        // SAFETY: a live op, and no room.
        unsafe { TFE_Execute(Some(&mut op), null_mut(), &raw mut count, null_mut()) };
        drop(op);
        // SAFETY: `into_raw` gave it, and nothing uses it any more.
        drop(unsafe { Box::from_raw(context) });
    }
}
