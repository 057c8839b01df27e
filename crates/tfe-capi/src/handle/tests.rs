//! Handles to values that are still to come, by way of C: which functions wait, and what they say of a value that never
//! comes.

use std::ptr::null_mut;
use std::sync::mpsc;
use std::time::Duration;

use tfe_core::{Code, DataType, Shape, Tensor};
use tfe_eager::{Context, Promise};

use super::*;
use crate::*;

/// Calls a function that takes a status last, and gives its result with the code of the status.
fn with_status<T>(call: impl FnOnce(*mut TF_Status) -> T) -> (T, Code) {
    let mut status = TF_NewStatus().expect("a status");
    let result = call(&raw mut *status);
    // SAFETY: a live status.
    (
        result,
        Code::from_number(unsafe { TF_GetCode(Some(&status)) }),
    )
}

fn pending(shape: Option<&[i64]>) -> (TFE_TensorHandle, Promise) {
    let shape = shape.map(|dims| Shape::new(dims).expect("a shape"));
    let (handle, promise) = TensorHandle::pending(DataType::Float, shape, None);
    (TFE_TensorHandle(handle), promise)
}

fn vector() -> Result<Tensor> {
    Tensor::vector(&[1.0f32, 2.0, 4.0])
}

fn rank(h: &TFE_TensorHandle) -> (c_int, Code) {
    // SAFETY: live objects.
    with_status(|status| unsafe { TFE_TensorHandleNumDims(Some(h), status) })
}

fn count(h: &TFE_TensorHandle) -> (i64, Code) {
    // SAFETY: live objects.
    with_status(|status| unsafe { TFE_TensorHandleNumElements(Some(h), status) })
}

fn dim(h: &TFE_TensorHandle) -> (i64, Code) {
    // SAFETY: live objects.
    with_status(|status| unsafe { TFE_TensorHandleDim(Some(h), 0, status) })
}

fn error(h: &TFE_TensorHandle) -> Code {
    // SAFETY: live objects.
    with_status(|status| unsafe { TFE_TensorHandleGetStatus(Some(h), status) }).1
}

/// The sum of the elements of a tensor, -1 for none.
fn sum(tensor: Option<Box<TF_Tensor>>) -> i64 {
    tensor.map_or(-1, |t| {
        let elements = t.tensor().as_slice::<f32>().expect("floats");
        elements.iter().sum::<f32>() as i64
    })
}

fn resolve(h: &TFE_TensorHandle) -> (i64, Code) {
    // SAFETY: live objects.
    with_status(|status| sum(unsafe { TFE_TensorHandleResolve(Some(h), status) }))
}

fn copy(h: &TFE_TensorHandle) -> (i64, Code) {
    let context = TFE_Context::from(Context::new().expect("a context"));
    let device = c"CPU:0".as_ptr();
    let (copy, code) = with_status(|status| {
        // SAFETY: live objects.
        unsafe { TFE_TensorHandleCopyToDevice(Some(h), Some(&context), device, status) }
    });
    (copy.map_or(-1, |h| resolve(&h).0), code)
}

fn negation(h: &TFE_TensorHandle) -> (i64, Code) {
    let mut context = TFE_Context::from(Context::new().expect("a context"));
    // SAFETY: a live context.
    let op = unsafe { TFE_NewOp(&raw mut context, c"Neg".as_ptr(), null_mut()) };
    let mut op = op.expect("an op");
    // SAFETY: live objects; an input that is pending can be added at once.
    let ((), added) =
        with_status(|status| unsafe { TFE_OpAddInput(Some(&mut op), Some(h), status) });
    assert_eq!(added, Code::Ok);
    let (mut result, mut count) = (null_mut(), 1);
    let ((), code) = with_status(|status| {
        // SAFETY: live objects, and room for one result.
        unsafe { TFE_Execute(Some(&mut op), &raw mut result, &raw mut count, status) }
    });
    if result.is_null() {
        return (-1, code);
    }
    // SAFETY: the call gave it, and nobody else has it.
    let result = unsafe { Box::from_raw(result) };
    (-resolve(&result).0, code)
}

#[test]
fn what_is_known_is_told_at_once() {
    let (handle, promise) = pending(Some(&[3]));
    // SAFETY: a live handle.
    let dtype = unsafe { TFE_TensorHandleDataType(Some(&handle)) };
    assert_eq!(dtype, DataType::Float.number());
    assert_eq!(rank(&handle), (1, Code::Ok));
    assert_eq!(count(&handle), (3, Code::Ok));
    assert_eq!(dim(&handle), (3, Code::Ok));
    assert_eq!(error(&handle), Code::Ok);
    let name = |status| {
        // SAFETY: live objects.
        unsafe { TFE_TensorHandleDeviceName(Some(&handle), status) }
    };
    assert!(!with_status(name).0.is_null());
    // SAFETY: live objects.
    let share = |status| unsafe { TFE_TensorHandleCopySharingTensor(Some(&handle), status) };
    let (shared, code) = with_status(share);
    assert_eq!(code, Code::Ok);
    drop(promise);
    assert_eq!(error(&handle), Code::Cancelled);
    assert_eq!(rank(&handle), (-1, Code::Cancelled));
    assert_eq!(resolve(&shared.expect("a handle")), (-1, Code::Cancelled));
}

#[test]
fn what_needs_the_value_waits_for_it() {
    type Ask = fn(&TFE_TensorHandle) -> (i64, Code);
    let asks: &[(Ask, i64)] = &[
        (|h| (rank(h).0.into(), rank(h).1), 1),
        (count, 3),
        (dim, 3),
        (resolve, 7),
        (copy, 7),
        (negation, 7),
    ];
    for &(ask, answer) in asks {
        for is_kept in [true, false] {
            let (handle, promise) = pending(None);
            let (sender, receiver) = mpsc::channel();
            let got = std::thread::scope(|scope| {
                let handle = &handle;
                scope.spawn(move || sender.send(ask(handle)).expect("a receiver"));
                let early = receiver.recv_timeout(Duration::from_millis(30));
                assert!(early.is_err(), "it did not wait");
                match is_kept {
                    true => promise.complete(vector()),
                    false => drop(promise),
                }
                receiver.recv().expect("an answer")
            });
            let failed = (-1, Code::Cancelled);
            assert_eq!(got, if is_kept { (answer, Code::Ok) } else { failed });
        }
    }
}
