//! `TFE_Execute` (`eager/c_api.h`).
#![expect(unsafe_code, reason = "exported to C")]

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use tfe_core::{Error, Result, err};
use tfe_eager::TensorHandle;

use crate::guard::{given, guard, room};
use crate::{TF_Status, TFE_Op, TFE_TensorHandle};

/// Where the results go: the caller's array and its length.
pub(crate) struct Results<'a> {
    room: &'a mut [MaybeUninit<*mut TFE_TensorHandle>],
    count: Option<&'a mut c_int>,
    /// How many were handed out.
    given: c_int,
}

impl Results<'_> {
    /// # Safety
    /// `num_retvals` is null or leads to a number, and `retvals` is null or leads to room for so many handles; nobody else
    /// uses them as long as this lives.
    #[inline]
    pub(crate) unsafe fn new(retvals: *mut *mut TFE_TensorHandle, num_retvals: *mut c_int) -> Self {
        // SAFETY: null or a number of the caller's.
        let count = unsafe { num_retvals.as_mut() };
        let len = count.as_deref().copied().unwrap_or(0);
        // SAFETY: null or an array of the caller's.
        let room = unsafe { room(retvals, len, "retvals") }.unwrap_or_default();
        Self {
            room,
            count,
            given: 0,
        }
    }

    /// How many results the caller wants, and how many there is room for: none where the array is null.
    #[inline]
    pub(crate) fn wanted(&self) -> Result<(c_int, usize)> {
        let count = given(self.count.as_deref().copied(), "num_retvals")?;
        Ok((count, self.room.len()))
    }

    /// Hands out a result if there is room for it.
    #[inline]
    pub(crate) fn give(&mut self, output: TensorHandle) {
        if let Some(slot) = self.room.get_mut(self.given as usize) {
            slot.write(Box::into_raw(output.into()));
            self.given += 1;
        }
    }

    /// Tells the caller how many there are, or leaves null everywhere.
    #[inline]
    pub(crate) fn end(self, done: bool) {
        if !done {
            self.room.fill(MaybeUninit::new(null_mut()));
        } else if let Some(count) = self.count {
            *count = self.given;
        }
    }
}

/// The error of an op that has `outputs` results and no room for them.
#[cold]
fn no_room(outputs: usize, count: c_int) -> Error {
    match usize::try_from(count) {
        Ok(n) if n >= outputs => err!(InvalidArgument, "retvals is NULL"),
        _ => err!(
            InvalidArgument,
            "Expecting {outputs} outputs, but *num_retvals is {count}"
        ),
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
        let (count, room) = results.wanted()?;
        let op = given(op, "op")?;
        let accept = |outputs| match outputs <= room && count >= 0 {
            true => Ok(()),
            false => Err(no_room(outputs, count)),
        };
        op.check_cancelled()?;
        let done = op.op.execute_into(accept, |output| results.give(output));
        op.forget_inputs();
        done.map(|()| true)
    };
    // SAFETY: null or a status of the caller's.
    let done = unsafe { guard(status, false, execute) };
    results.end(done);
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

    static FAULTY: KernelDef = KernelDef::cpu(ops::IDENTITY, faulty);

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
