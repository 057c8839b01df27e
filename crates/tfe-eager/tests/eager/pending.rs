//! Handles to values that are still to come: who waits and who does not, errors in place of values.

use std::sync::mpsc;
use std::time::Duration;

use tfe_core::err;
use tfe_device::Device;
use tfe_eager::{
    Code, Context, ContextOptions, DataType, Promise, Result, Shape, Tensor, TensorHandle,
};
use tfe_testkit::device::TestOptions;

use crate::world::{CPU, SQUARE, TEST_0, World, code, floats, matrix};

fn pending() -> (TensorHandle, Promise) {
    TensorHandle::pending(DataType::Float, None, None)
}

fn ones() -> Result<Tensor> {
    Tensor::vector(&[1.0f32, 1.0])
}

/// Checks that `ask` waits until the promise is kept, and gives what it then gives.
fn waits<T: Send>(promise: Promise, value: Result<Tensor>, ask: impl FnOnce() -> T + Send) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| sender.send(ask()).expect("a receiver"));
        let early = receiver.recv_timeout(Duration::from_millis(30));
        assert!(early.is_err(), "it did not wait");
        promise.complete(value);
        receiver.recv().expect("an answer")
    })
}

#[test]
fn a_handle_is_no_bigger_for_what_may_be_pending() {
    assert_eq!(
        size_of::<TensorHandle>(),
        size_of::<(Tensor, Option<std::sync::Arc<dyn Device>>)>()
    );
}

#[test]
fn what_is_known_beforehand_is_told_at_once() {
    let shape = Shape::new(&[2]).expect("a shape");
    let (handle, promise) = TensorHandle::pending(DataType::Float, Some(shape), None);
    assert_eq!(handle.dtype(), DataType::Float);
    assert_eq!(handle.dims().expect("known"), [2]);
    assert_eq!(handle.device_name().as_str(), CPU);
    assert!(!handle.is_done() && handle.error().is_none());
    assert!(format!("{handle:?}").contains("pending"));
    let clone = handle.clone();
    promise.complete(ones());
    assert!(handle.is_done() && handle.error().is_none());
    assert_eq!(floats(&clone), [1.0, 1.0]);
    let late = handle.clone();
    drop(handle);
    assert_eq!(floats(&late), [1.0, 1.0]);
}

#[test]
fn what_needs_the_value_waits_for_it() {
    type Ask = fn(&TensorHandle) -> Result<Vec<f32>>;
    let asks: &[Ask] = &[
        |h| Ok(h.dims()?.iter().map(|_| 1.0).chain([1.0]).collect()),
        |h| h.to_vec(),
        |h| h.deep_copy()?.to_vec(),
        |h| h.to_array()?.iter().map(|&x: &f32| Ok(x)).collect(),
        |h| h.tensor()?.as_slice().map(<[f32]>::to_vec),
        |h| Ok(vec![if h.is_remote()? { 0.0 } else { 1.0 }; 2]),
        |h| h.copy_to(&Context::new()?, "CPU:0")?.to_vec(),
        |h| Context::new()?.op("Square")?.input(h)?.run1()?.to_vec(),
    ];
    for ask in asks {
        let (handle, promise) = pending();
        let values = waits(promise, ones(), || ask(&handle));
        assert_eq!(values.expect("a value"), [1.0, 1.0]);
        // An error comes in place of the value, and stays.
        let (handle, promise) = pending();
        let failed = waits(promise, Err(err!(DataLoss, "lost")), || ask(&handle));
        assert_eq!(failed.expect_err("an error").code(), Code::DataLoss);
        assert_eq!(code(ask(&handle.clone())), Code::DataLoss);
        assert!(format!("{handle:?}").contains("lost"));
    }
}

#[test]
fn a_promise_that_is_not_kept_is_an_error() {
    let (handle, promise) = pending();
    drop(promise);
    assert_eq!(code(handle.to_vec::<f32>()), Code::Cancelled);
    // Neither is one that is kept with something else.
    let shape = Shape::new(&[3]).expect("a shape");
    for (dtype, shape) in [(DataType::Int32, None), (DataType::Float, Some(shape))] {
        let (handle, promise) = TensorHandle::pending(dtype, shape, None);
        promise.complete(ones());
        assert_eq!(code(handle.to_tensor()), Code::Internal);
        assert_eq!(code(handle.dims().map(<[i64]>::to_vec)), Code::Internal);
        assert_eq!(handle.error().expect("an error").code(), Code::Internal);
    }
}

#[test]
fn an_op_waits_for_its_inputs_when_it_is_executed() {
    let ctx = Context::new().expect("a context");
    let (first, promise_of_first) = pending();
    let (second, promise_of_second) = pending();
    let mut op = ctx.op("ConcatV2").expect("ConcatV2");
    op.add_input_list(&[first.clone(), matrix(), second])
        .expect("inputs");
    op.add_input(&TensorHandle::scalar(0i32).expect("memory"))
        .expect("an input");
    assert_eq!(op.num_inputs(), 4);
    assert!(!op.nth_input(2).expect("an input").is_done());
    promise_of_second.complete(Tensor::from_slice(&[1, 2], &[7.0f32, 8.0]));
    let value = Tensor::from_slice(&[1, 2], &[5.0f32, 6.0]);
    let joined = waits(promise_of_first, value, || op.execute());
    assert_eq!(
        floats(&joined.expect("joined")[0]),
        [5.0, 6.0, 1.0, 2.0, 3.0, 4.0, 7.0, 8.0]
    );

    // An error is told as it is, and leaves the inputs.
    let (input, promise) = pending();
    let mut op = ctx
        .op("AddV2")
        .and_then(|op| op.input(&first)?.input(&input));
    let op = op.as_mut().expect("AddV2");
    promise.complete(Err(err!(DataLoss, "lost")));
    for _ in 0..2 {
        let error = op.execute().expect_err("no input");
        assert_eq!((error.code(), error.message()), (Code::DataLoss, "lost"));
        assert_eq!(op.num_inputs(), 2);
    }
}

#[test]
fn resources_may_be_pending() {
    let ctx = Context::new().expect("a context");
    let variable = ctx.op("VarHandleOp").expect("VarHandleOp");
    let variable = variable
        .attr("dtype", DataType::Float)
        .attr("shape", tfe_eager::PartialShape::unknown())
        .run1()
        .expect("a variable");
    let (handle, promise) = TensorHandle::pending(DataType::Resource, None, None);
    let assign = || {
        let op = ctx.op("AssignVariableOp")?.input(&handle)?;
        op.input(&matrix())?.run()
    };
    waits(promise, variable.to_tensor(), assign).expect("assigned");
    let read = ctx.op("ReadVariableOp").and_then(|op| {
        let op = op.input(&handle)?;
        op.attr("dtype", DataType::Float).run1()
    });
    assert_eq!(floats(&read.expect("read")), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_value_may_come_to_a_device() {
    for options in [TestOptions::default(), TestOptions::late()] {
        let world = World::new(options, ContextOptions::default());
        let device = world.ctx.find_device(TEST_0).expect("a device");
        let there = matrix().copy_to(&world.ctx, TEST_0).expect("a copy");
        let (handle, promise) =
            TensorHandle::pending(DataType::Float, None, Some(std::sync::Arc::clone(device)));
        assert_eq!(handle.device_name().as_str(), TEST_0);
        let square = || {
            let op = world.ctx.op("MatMul")?.input(&handle)?.input(&matrix())?;
            op.run1()
        };
        let value = there.tensor().cloned();
        // The op follows its input to the device, once it is there.
        let square = waits(promise, value, square).expect("a square");
        assert_eq!(square.device_name().as_str(), TEST_0);
        assert_eq!(floats(&square), SQUARE);
        assert_eq!(floats(&handle), [1.0, 2.0, 3.0, 4.0]);
        let backing = handle.backing_device_name().expect("a value");
        assert_eq!(backing.as_str(), TEST_0);
    }
}
