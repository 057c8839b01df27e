//! Many threads on one context: nothing is lost, mixed up or torn.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::time::Duration;

use tfe_cpu::{CpuDevice, CpuOptions};
use tfe_eager::{
    Code, Context, DataType, Op, PartialShape, PlacementPolicy, Result, TString, TensorHandle,
};
use tfe_proto::tensorflow::OpDef;
use tfe_testkit::device::{TestDevice, TestOptions};
use tfe_testkit::text;

use crate::world::{World, code, floats};

fn vector(values: &[f32]) -> TensorHandle {
    TensorHandle::from_slice(&[values.len() as i64], values).expect("a vector")
}

fn add(ctx: &Context, a: &TensorHandle, b: &TensorHandle) -> Result<TensorHandle> {
    ctx.op("AddV2")?.input(a)?.input(b)?.run1()
}

/// Runs `work` on `threads` threads at once and gives what they returned.
fn together<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(threads);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|i| {
                let (start, work) = (&start, &work);
                scope.spawn(move || {
                    start.wait();
                    work(i)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|t| t.join().expect("no panic"))
            .collect()
    })
}

#[test]
fn contexts_and_handles_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Context>();
    shared::<TensorHandle>();
    fn moved<T: Send>() {}
    moved::<Op>();
}

/// The queue of that name, for scalars.
fn queue(ctx: &Context, capacity: i64) -> TensorHandle {
    let queue = ctx.op("FIFOQueueV2").expect("FIFOQueueV2");
    let queue = queue
        .attr("component_types", &[DataType::Float][..])
        .attr("capacity", capacity)
        .attr("shared_name", "q");
    queue.run1().expect("a queue")
}

#[test]
fn an_op_outlives_its_context() {
    let ctx = Context::new().expect("a context");
    let def = OpDef {
        name: "Unknown".to_owned(),
        ..OpDef::default()
    };
    ctx.register_op(&def).expect("registered");
    let registered = ctx.op("Unknown").expect("an op");
    let cold = ctx.op("Neg").and_then(|op| op.input(&vector(&[1.0])));
    let mut warm = ctx.op("Neg").expect("Neg");
    warm.add_input(&vector(&[2.0])).expect("an input");
    assert_eq!(floats(&warm.execute().expect("a result")[0]), [-2.0]);
    warm.add_input(&vector(&[3.0])).expect("an input");
    drop(ctx);
    assert_eq!(code(registered.run()), Code::NotFound);
    assert_eq!(floats(&warm.execute().expect("a result")[0]), [-3.0]);
    let there = std::thread::spawn(|| floats(&cold.expect("a call").run1().expect("a result")));
    assert_eq!(there.join().expect("no panic"), [-1.0]);
    warm.reset("Square").expect("reset");
    warm.add_input(&vector(&[3.0])).expect("an input");
    assert_eq!(floats(&warm.execute().expect("a result")[0]), [9.0]);
}

#[test]
fn the_end_of_the_last_context_ends_waiting() {
    for (op, message) in [
        ("QueueDequeueV2", "Dequeue operation was cancelled"),
        ("QueueEnqueueV2", "Enqueue operation was cancelled"),
    ] {
        let ctx = Context::new().expect("a context");
        let queue = queue(&ctx, 1);
        let clone = ctx.clone();
        let call = |is_enqueue: bool| -> Result<Op> {
            let call = clone.op(op)?.input(&queue)?;
            Ok(match is_enqueue {
                true => {
                    let call = call.input_list(&[vector(&[1.0])])?;
                    call.attr("Tcomponents", &[DataType::Float][..])
                }
                false => call.attr("component_types", &[DataType::Float][..]),
            })
        };
        let is_enqueue = op == "QueueEnqueueV2";
        if is_enqueue {
            call(true).and_then(Op::run).expect("room");
        }
        let waiting = call(is_enqueue).expect("a call");
        let (sender, receiver) = mpsc::channel();
        let waiter = std::thread::spawn(move || {
            let result = waiting.run().map(drop);
            sender.send(()).expect("a receiver");
            result
        });
        drop(ctx);
        let soon = Duration::from_millis(100);
        receiver.recv_timeout(soon).expect_err("it waits");
        drop(clone);
        let error = waiter.join().expect("no panic").expect_err("cancelled");
        assert_eq!(error.code(), Code::Cancelled);
        assert!(error.message().starts_with(message), "{error}");
    }
}

#[test]
fn a_context_is_gone_with_its_last_op_and_clone() {
    let gone = |device: &Arc<TestDevice>| Arc::strong_count(device) == 1;
    let device = || {
        let cpu = Arc::new(CpuDevice::new(0, &CpuOptions::default()));
        Arc::new(TestDevice::new(0, cpu, TestOptions::default()))
    };
    let context = |device: &Arc<TestDevice>| {
        let ctx = Context::builder().device(Arc::clone(device) as _).build();
        ctx.expect("a context")
    };
    let (first, second) = (device(), device());
    let ctx = context(&first);
    let neg = |ctx: &Context| ctx.op("Neg").and_then(|op| op.input(&vector(&[1.0])));
    // Two at once leave two references.
    let (a, b) = (neg(&ctx), neg(&ctx));
    drop(a.and_then(Op::run1).expect("a result"));
    drop(b.and_then(Op::run1).expect("a result"));
    let other = context(&second);
    drop(neg(&other).and_then(Op::run1).expect("a result"));
    drop(ctx);
    assert!(gone(&first));
    // An op that goes last.
    let last = neg(&other);
    drop(other);
    assert!(!gone(&second));
    drop(last.and_then(Op::run1).expect("a result"));
    assert!(gone(&second));
    // A thread that has gone.
    let third = device();
    let ctx = context(&third);
    std::thread::scope(|scope| {
        let call = || drop(neg(&ctx).and_then(Op::run1).expect("a result"));
        // The end of a scope does not wait for what a thread drops as it ends: this does.
        scope.spawn(call).join().expect("no panic");
    });
    drop(ctx);
    assert!(gone(&third));
}

#[test]
fn two_threads_with_handles_of_their_own() {
    let ctx = Context::new().expect("a context");
    let sums = together(2, |i| {
        let one = vector(&[1.0, i as f32]);
        let mut sum = vector(&[0.0, 0.0]);
        for _ in 0..2000 {
            sum = add(&ctx, &sum, &one).expect("a sum");
        }
        floats(&sum)
    });
    assert_eq!(sums, [[2000.0, 0.0], [2000.0, 2000.0]]);
}

#[test]
fn threads_share_a_handle_and_none_writes_over_it() {
    let ctx = Context::new().expect("a context");
    let shared = vector(&[1.0; 64]);
    let wrong: usize = together(4, |_| {
        (0..500)
            .filter(|_| floats(&add(&ctx, &shared, &shared).expect("a sum")) != [2.0; 64])
            .count()
    })
    .iter()
    .sum();
    assert_eq!(wrong, 0);
    assert_eq!(floats(&shared), [1.0; 64]);
}

#[test]
fn the_cache_holds_while_others_clear_it() {
    let ctx = Context::new().expect("a context");
    let done = AtomicBool::new(false);
    let wrong: usize = together(3, |i| {
        if i == 0 {
            for _ in 0..200 {
                ctx.clear_caches();
                std::thread::yield_now();
            }
            done.store(true, Ordering::Relaxed);
            return 0;
        }
        let mut wrong = 0;
        let x = vector(&[1.0]);
        let y = TensorHandle::from_slice(&[1], &[1i64]).expect("int64");
        while !done.load(Ordering::Relaxed) {
            wrong += usize::from(floats(&add(&ctx, &x, &x).expect("a sum")) != [2.0]);
            let sum = add(&ctx, &y, &y)
                .and_then(|s| s.to_vec::<i64>())
                .expect("a sum");
            wrong += usize::from(sum != [2]);
        }
        wrong
    })
    .iter()
    .sum();
    assert_eq!(wrong, 0);
}

#[test]
fn functions_come_and_go_while_they_are_called() {
    let ctx = Context::new().expect("a context");
    let function = |name: &str, op: &str| {
        text::function_def(&format!(
            "signature {{
               name: '{name}' input_arg {{ name: 'a' type: DT_FLOAT }} output_arg {{ name: 'm' type: DT_FLOAT }}
             }}
             node_def {{
               name: 'n' op: '{op}' input: 'a' input: 'a' attr {{ key: 'T' value {{ type: DT_FLOAT }} }}
             }}
             ret {{ key: 'm' value: 'n:z:0' }}"
        ))
    };
    ctx.add_function(function("stays", "AddV2")).expect("stays");
    let results = together(3, |i| -> Result<()> {
        let x = vector(&[3.0]);
        for round in 0..300 {
            if i == 0 {
                // One name, by turns with two bodies.
                let (op, want) = if round % 2 == 0 {
                    ("AddV2", 6.0)
                } else {
                    ("Mul", 9.0)
                };
                ctx.add_function(function("changes", op))?;
                assert_eq!(floats(&ctx.op("changes")?.input(&x)?.run1()?), [want]);
                ctx.remove_function("changes")?;
                assert!(ctx.op("changes").is_err());
            }
            assert_eq!(floats(&ctx.op("stays")?.input(&x)?.run1()?), [6.0]);
        }
        Ok(())
    });
    results
        .into_iter()
        .for_each(|r| r.expect("every call works"));
}

#[test]
fn a_variable_is_never_seen_half_written() {
    let ctx = Context::new().expect("a context");
    let variable = ctx.op("VarHandleOp").expect("VarHandleOp");
    let variable = variable
        .attr("dtype", DataType::Float)
        .attr("shape", PartialShape::unknown());
    let variable = variable.attr("shared_name", "v").run1().expect("a handle");
    let assign = |value: f32| -> Result<()> {
        let op = ctx.op("AssignVariableOp")?.input(&variable)?;
        op.input(&vector(&[value; 100]))?.run().map(drop)
    };
    assign(0.0).expect("assigned");
    together(4, |i| {
        for round in 0..500 {
            if i < 2 {
                assign((1000 * i + round) as f32).expect("assigned");
            } else {
                let op = ctx
                    .op("ReadVariableOp")
                    .and_then(|op| op.input(&variable))
                    .expect("a call");
                let values = floats(&op.attr("dtype", DataType::Float).run1().expect("a value"));
                assert!(values.iter().all(|&v| v == values[0]), "{values:?}");
            }
        }
    });
}

#[test]
fn mixed_calls_on_all_devices() {
    let world = World::with_policy(PlacementPolicy::Silent);
    let ctx = &world.ctx;
    together(4, |i| {
        let device = ["CPU:0", "TEST:0", "TEST:1", "TEST:0"][i];
        let name = format!("of thread {i}");
        for round in 0..100 {
            let x = vector(&[round as f32])
                .copy_to(ctx, device)
                .expect("a copy");
            let sum = add(ctx, &x, &x).expect("a sum");
            assert_eq!(floats(&sum), [2.0 * round as f32]);
            let text = TensorHandle::scalar(TString::from(&*name)).expect("a string");
            let joined = ctx
                .op("StringJoin")
                .and_then(|op| op.input_list(&[text.clone(), text]));
            let joined = joined
                .and_then(|op| op.attr("N", 2).run1())
                .expect("joined");
            assert_eq!(
                joined.to_scalar::<TString>().expect("a string"),
                TString::from(name.repeat(2))
            );
            let variable = ctx
                .op("VarHandleOp")
                .and_then(|op| op.on(device))
                .expect("VarHandleOp");
            let variable = variable
                .attr("dtype", DataType::Float)
                .attr("shape", PartialShape::unknown())
                .attr("shared_name", &*name)
                .run1()
                .expect("a handle");
            let assign = ctx
                .op("AssignVariableOp")
                .and_then(|op| op.input(&variable)?.input(&sum)?.run());
            assign.expect("assigned");
            let read = ctx
                .op("ReadVariableOp")
                .and_then(|op| op.input(&variable))
                .expect("a call");
            let read = read.attr("dtype", DataType::Float).run1().expect("a value");
            assert_eq!(floats(&read), [2.0 * round as f32]);
            // A wrong call on one thread is nothing to the others.
            assert!(add(ctx, &vector(&[1.0, 2.0]), &vector(&[1.0, 2.0, 3.0])).is_err());
            assert!(ctx.op("NoSuchOp").is_err());
        }
    });
    ctx.synchronize().expect("no failure");
}
