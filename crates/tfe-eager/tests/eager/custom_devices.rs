//! Custom devices made in Rust: which ops they are handed, where values go, and when devices and values go.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tfe_core::{bail, err};
use tfe_eager::{
    Code, Context, CustomDevice, CustomPlace, CustomTensor, Op, Outputs, Promise, Result, Tensor,
    TensorHandle,
};

use crate::world::{CPU, code, floats};

const WRAP_0: &str = "/job:localhost/replica:0/task:0/device:WRAP:0";
const WRAP_1: &str = "/job:localhost/replica:0/task:0/device:WRAP:1";

/// What devices and values have done, which outlives them.
#[derive(Default)]
struct Log {
    /// Each op with the device that was asked for.
    ops: Mutex<Vec<String>>,
    devices_gone: AtomicUsize,
    values_gone: AtomicUsize,
    shapes_told: AtomicUsize,
}

impl Log {
    fn take_ops(&self) -> Vec<String> {
        std::mem::take(&mut self.ops.lock().expect("no panic"))
    }
}

struct Value {
    on_cpu: TensorHandle,
    log: Arc<Log>,
}

impl Drop for Value {
    fn drop(&mut self) {
        self.log.values_gone.fetch_add(1, Ordering::Relaxed);
    }
}

impl CustomTensor for Value {
    fn rank(&self) -> Result<Option<usize>> {
        self.log.shapes_told.fetch_add(1, Ordering::Relaxed);
        Ok(Some(self.on_cpu.dims()?.len()))
    }

    fn dim(&self, index: usize) -> Result<i64> {
        Ok(self.on_cpu.dims()?[index])
    }

    fn summary(&self) -> Result<Option<String>> {
        Ok(Some("wrapped".to_owned()))
    }
}

/// Has the CPU do its work.
struct Wrapper {
    log: Arc<Log>,
    keeps_ops: bool,
}

impl Drop for Wrapper {
    fn drop(&mut self) {
        self.log.devices_gone.fetch_add(1, Ordering::Relaxed);
    }
}

impl Wrapper {
    fn wrap(&self, place: &CustomPlace, on_cpu: TensorHandle) -> TensorHandle {
        let log = Arc::clone(&self.log);
        place.handle(on_cpu.dtype(), Box::new(Value { on_cpu, log }))
    }
}

fn on_cpu(handle: &TensorHandle) -> TensorHandle {
    let value = handle.custom_value::<Value>();
    value.map_or(handle, |value| &value.on_cpu).clone()
}

impl CustomDevice for Wrapper {
    fn copy_to_device(&self, place: &CustomPlace, value: &TensorHandle) -> Result<TensorHandle> {
        Ok(self.wrap(place, on_cpu(value)))
    }

    fn copy_from_device(
        &self,
        _: &CustomPlace,
        value: &TensorHandle,
        target: &str,
    ) -> Result<TensorHandle> {
        if target == "nowhere" {
            bail!(NotFound, "{target} is no place");
        }
        Ok(on_cpu(value))
    }

    fn execute(&self, place: &CustomPlace, op: &Op, room: usize) -> Result<Outputs> {
        let wish = op.requested_device().to_string_lossy().into_owned();
        let mut ops = self.log.ops.lock().expect("no panic");
        ops.push(format!("{} {wish}", op.name()));
        drop(ops);
        let mut inner = op.clone();
        inner.reset(op.name())?;
        for i in 0..op.num_inputs() {
            let input = op.nth_input(i).ok_or_else(|| err!(Internal, "no input"))?;
            inner.add_input(&on_cpu(&input))?;
        }
        for (name, value) in op.attrs().set_values() {
            inner.set_attr(name, value.clone());
        }
        let results = inner.execute()?;
        assert!(results.len() <= room);
        Ok(results.into_iter().map(|h| self.wrap(place, h)).collect())
    }

    fn shall_pin(&self, _: &CustomPlace, _: &Op) -> bool {
        self.keeps_ops
    }
}

fn context(keeps_ops: bool) -> (Context, Arc<Log>) {
    let (ctx, log) = (Context::new().expect("a context"), Arc::new(Log::default()));
    for name in [WRAP_0, WRAP_1] {
        let log = Arc::clone(&log);
        let wrapper = Arc::new(Wrapper { log, keeps_ops });
        ctx.register_custom_device(name, wrapper).expect(name);
    }
    (ctx, log)
}

fn vector() -> TensorHandle {
    TensorHandle::from_slice(&[2], &[1.0f32, 2.0]).expect("a vector")
}

fn place(handle: &TensorHandle) -> &str {
    handle.device_name().as_str()
}

#[test]
fn ops_go_to_the_device_that_is_named_or_has_an_input() {
    let (ctx, log) = context(true);
    let here = vector();
    let there = here.copy_to(&ctx, "WRAP:0").expect("a copy");
    let neg = |device: &str, input: &TensorHandle| {
        let op = ctx.op("Neg").and_then(|op| op.on(device)?.input(input));
        op.and_then(Op::run1).expect("Neg")
    };
    let result = neg("WRAP:1", &here);
    assert_eq!(
        (place(&result), floats(&result)),
        (WRAP_1, vec![-1.0, -2.0])
    );
    assert_eq!(log.take_ops(), ["Neg /device:WRAP:1"]);
    assert_eq!(place(&neg("", &there)), WRAP_0);
    assert_eq!(place(&neg("CPU:0", &there)), WRAP_0);
    assert_eq!(log.take_ops(), ["Neg ", "Neg /device:CPU:0"]);
    assert_eq!(place(&neg("", &here)), CPU);
    assert_eq!(log.take_ops(), [""; 0]);

    let other = here.copy_to(&ctx, WRAP_1).expect("a copy");
    let mixed = ctx
        .op("AddV2")
        .and_then(|op| op.input(&there)?.input(&other));
    assert_eq!(code(mixed.and_then(Op::run1)), Code::InvalidArgument);
}

#[test]
fn inputs_come_to_ops_that_a_device_does_not_want() {
    let (ctx, log) = context(false);
    let there = vector().copy_to(&ctx, "WRAP:0").expect("a copy");
    let (later, promise) = TensorHandle::pending(there.dtype(), None, None);
    let mut op = ctx.op("AddV2").expect("AddV2");
    op.add_input(&there).expect("an input");
    op.add_input(&later).expect("an input");
    Promise::complete(promise, Tensor::vector(&[10.0f32, 20.0]));
    let again = op.execute_again().expect("AddV2");
    assert_eq!(op.nth_input(0).as_ref().map(place), Some(WRAP_0));
    let sum = op.execute().expect("AddV2");
    for sum in again.iter().chain(&sum) {
        assert_eq!((place(sum), floats(sum)), (CPU, vec![11.0, 22.0]));
    }
    assert_eq!(op.num_inputs(), 0);
    assert_eq!(log.take_ops(), [""; 0]);
}

#[test]
fn a_handle_asks_its_value() {
    let (ctx, log) = context(true);
    let there = vector().copy_to(&ctx, "WRAP:0").expect("a copy");
    assert_eq!(log.shapes_told.load(Ordering::Relaxed), 0);
    assert_eq!(there.dims().expect("a shape"), [2]);
    assert_eq!(
        format!("{there:?}"),
        format!("Tensor(float: wrapped) on {WRAP_0}")
    );
    assert!(there.is_done() && there.error().is_none());
    assert!(there.is_remote().expect("a value"));
    assert_eq!(
        there.backing_device_name().expect("a value").as_str(),
        WRAP_0
    );
    assert_eq!(code(there.tensor()), Code::InvalidArgument);
    assert_eq!(floats(&there), [1.0, 2.0]);
    assert_eq!(code(there.copy_to(&ctx, "nowhere")), Code::NotFound);
    assert_eq!(code(TensorHandle::pack(&[there])), Code::Unimplemented);
}

#[test]
fn names_are_full_and_new() {
    let (ctx, log) = context(true);
    let register = |name: &str| {
        let log = Arc::clone(&log);
        ctx.register_custom_device(
            name,
            Arc::new(Wrapper {
                log,
                keeps_ops: true,
            }),
        )
    };
    assert_eq!(code(register("WRAP:2")), Code::InvalidArgument);
    assert_eq!(code(register(CPU)), Code::AlreadyExists);
    assert_eq!(code(register(WRAP_0)), Code::AlreadyExists);
    assert_eq!(log.devices_gone.load(Ordering::Relaxed), 3);
    assert!(ctx.find_custom_device("WRAP:1").is_some());
    assert!(ctx.find_custom_device("CPU:0").is_none());
    assert_eq!(ctx.devices().len(), 1);
}

#[test]
fn devices_go_with_the_context_and_values_with_their_handles() {
    let (ctx, log) = context(true);
    let there = vector().copy_to(&ctx, "WRAP:0").expect("a copy");
    let op = ctx.op("Neg").and_then(|op| op.input(&there)).expect("Neg");
    drop(ctx);
    assert_eq!(log.devices_gone.load(Ordering::Relaxed), 2);
    assert_eq!(code(op.run1()), Code::FailedPrecondition);
    assert_eq!(code(there.to_tensor()), Code::FailedPrecondition);
    assert_eq!(there.dims().expect("a shape"), [2]);
    assert_eq!(log.values_gone.load(Ordering::Relaxed), 0);
    let shared = there.clone();
    drop(there);
    assert_eq!(log.values_gone.load(Ordering::Relaxed), 0);
    drop(shared);
    assert_eq!(log.values_gone.load(Ordering::Relaxed), 1);
}
