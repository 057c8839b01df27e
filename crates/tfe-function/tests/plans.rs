//! What runs, in which order, on which memory; and how long plans are kept.

mod common;

use std::sync::Arc;
use std::thread;

use common::kernels::take_log;
use common::{World, float, floats, id, of_float, scalar};
use tfe_core::{DataType, Tensor};
use tfe_device::FunctionLibrary;
use tfe_function::FunctionBuilder;
use tfe_ops::FuncAttr;

const FLOAT: DataType = DataType::Float;

/// Calls the function with 1 and gives what its nodes wrote down.
fn log_of(world: &World, function: &FuncAttr) -> Vec<i64> {
    take_log();
    world.call(function, &[scalar(1.0)]).expect("runs");
    take_log()
}

#[test]
fn effects_keep_their_order() {
    let world = World::new();
    // The first in the definition waits for the last node, which has no effects; the results say nothing of an order.
    let function = world.build(
        of_float("Fn")
            .node("first", "Test>Log", &["late:y"], &id(1))
            .node("second", "Test>Log", &["a"], &id(2))
            .node("third", "Test>Log", &["second:y"], &id(3))
            .node("fourth", "Test>Log", &["a"], &id(4))
            .node("late", "Neg", &["a"], &float())
            .output("x", FLOAT, "fourth:y")
            .output("y", FLOAT, "first:y"),
    );
    assert_eq!(log_of(&world, &function), [1, 2, 3, 4]);
    // A control edge turns the order of two round, the rest stays.
    let function = world.build(
        of_float("Turned")
            .node("first", "Test>Log", &["a", "^third"], &id(1))
            .node("second", "Test>Log", &["a"], &id(2))
            .node("third", "Test>Log", &["a"], &id(3)),
    );
    assert_eq!(log_of(&world, &function), [3, 1, 2]);
    // Calls are like nodes with effects.
    let caller = world.build(
        of_float("Caller")
            .node("zero", "Test>Log", &["a"], &id(0))
            .node("call", "Fn", &["a"], &[])
            .node("again", "Turned", &["a", "^later"], &[])
            .node("five", "Test>Log", &["a"], &id(5))
            .node("later", "Test>Log", &["a"], &id(6)),
    );
    assert_eq!(log_of(&world, &caller), [0, 1, 2, 3, 4, 6, 3, 1, 2, 5]);
}

#[test]
fn what_nothing_needs_does_not_run() {
    let world = World::new();
    let function = world.build(
        of_float("Fn")
            .node("unused", "Test>Note", &["a"], &id(1))
            .node("needed", "Test>Note", &["a"], &id(2))
            .node("awaited", "Test>Note", &["a"], &id(3))
            .node("named", "Test>Note", &["a"], &id(4))
            .node("effect", "Test>Log", &["needed:y", "^awaited"], &id(5))
            .control_output("done", "named")
            .output("m", FLOAT, "a"),
    );
    let mut log = log_of(&world, &function);
    log.sort_unstable();
    assert_eq!(log, [2, 3, 4, 5]);
    // Of two results of a call one is needed; of another call none, and it has no effects.
    world.build(
        of_float("Two")
            .node("x", "Test>Note", &["a"], &id(1))
            .node("y", "Test>Note", &["a"], &id(2))
            .output("x", FLOAT, "x:y")
            .output("y", FLOAT, "y:y"),
    );
    let caller = world.build(
        of_float("Caller")
            .node("half", "Two", &["a"], &[])
            .node("none", "Two", &["a"], &[])
            .output("m", FLOAT, "half:y"),
    );
    assert_eq!(log_of(&world, &caller), [2]);
    assert_eq!(world.compile(&caller).expect("a plan").num_steps(), 1);
    // Who waits for a call waits for its results, and keeps it.
    let waiting = world.build(
        of_float("Waiting")
            .node("after", "Test>Log", &["a", "^call"], &id(3))
            .node("call", "Two", &["a", "^before"], &[])
            .node("before", "Test>Note", &["a"], &id(0)),
    );
    assert_eq!(log_of(&world, &waiting), [0, 1, 2, 3]);
}

#[test]
fn memory_is_taken_over_by_its_last_reader() {
    let world = World::new();
    let chain = world.build(
        of_float("Chain")
            .node("x", "Neg", &["a"], &float())
            .node("y", "Neg", &["x:y"], &float())
            .node("z", "Neg", &["y:y"], &float())
            .output("m", FLOAT, "z:y"),
    );
    let plan = world.compile(&chain).expect("a plan");
    // More than the few elements that a kernel rather puts into memory of their own.
    let numbers: Vec<f32> = (1u8..=100).map(f32::from).collect();
    let negated: Vec<f32> = numbers.iter().map(|x| -x).collect();
    let own = Tensor::vector(&numbers).expect("memory");
    let address = own.buffer().as_ptr();
    let result = &plan.run([own], &world.library).expect("runs")[0];
    assert_eq!(floats(result), negated);
    assert_eq!(
        result.buffer().as_ptr(),
        address,
        "nobody else had the argument"
    );

    let held = Tensor::vector(&numbers).expect("memory");
    let result = &plan.run([held.clone()], &world.library).expect("runs")[0];
    assert_eq!((floats(result), floats(&held)), (negated, numbers));

    // A value that is read again, or is a result, is not written over.
    let fork = world.build(
        of_float("Fork")
            .node("x", "Neg", &["a"], &float())
            .node("y", "Neg", &["x:y"], &float())
            .node("z", "AddV2", &["x:y", "y:y"], &float())
            .output("x", FLOAT, "x:y")
            .output("z", FLOAT, "z:z")
            .output("a", FLOAT, "a"),
    );
    let results = world.call(&fork, &[scalar(3.0)]).expect("runs");
    assert_eq!(
        results.iter().flat_map(floats).collect::<Vec<_>>(),
        [-3.0, 0.0, 3.0]
    );
}

#[test]
fn slots_are_used_again() {
    let world = World::new();
    let function = world.build(
        of_float("Fn")
            .input("b", FLOAT)
            .node("x", "AddV2", &["a", "b"], &float())
            .node("y", "AddV2", &["x:z", "a"], &float())
            .node("z", "AddV2", &["x:z", "x:z"], &float())
            .node(
                "p",
                "Split",
                &["axis:output", "z:z"],
                &[("T", FLOAT.into()), ("num_split", 2.into())],
            )
            .constant("axis", Tensor::scalar(0i32).expect("memory"))
            .node("w", "AddV2", &["p:output:1", "y:z"], &float())
            .output("m", FLOAT, "w:z"),
    );
    let plan = world.compile(&function).expect("a plan");
    let shown = format!("{plan:?}").replace(" on /job:localhost/replica:0/task:0/device:CPU:0", "");
    let wanted = "Plan Fn of 2 arguments
  AddV2 x: a0 a1! -> 0
  AddV2 y: 0 a0! -> 1
  AddV2 z: 0 0! -> 0
  Const axis: -> 2
  Split p: 2! 0! -> - 0
  AddV2 w: 0! 1! -> 0
  results: 0!";
    assert_eq!(shown, wanted);
}

#[test]
fn plans_are_kept_until_what_they_use_is_removed() {
    let world = World::new();
    world.build(of_float("Inner").output("m", FLOAT, "a"));
    let outer = world.build(
        of_float("Outer")
            .node("x", "Inner", &["a"], &[])
            .output("m", FLOAT, "x:m"),
    );
    let other = world.build(of_float("Other").output("m", FLOAT, "a"));
    let (first, kept) = (
        world.compile(&outer).expect("a plan"),
        world.compile(&other).expect("a plan"),
    );
    assert!(Arc::ptr_eq(
        &first,
        &world.compile(&outer).expect("the same")
    ));
    assert_eq!(
        first
            .functions()
            .iter()
            .map(|f| f.name())
            .collect::<Vec<_>>(),
        ["Outer", "Inner"]
    );
    assert_eq!(world.library.num_plans(), 2);
    let generation = world.library.generation();
    world.library.remove("Inner").expect("there");
    assert_ne!(world.library.generation(), generation);
    assert_eq!(world.library.num_plans(), 1);
    assert!(Arc::ptr_eq(
        &kept,
        &world.compile(&other).expect("the same")
    ));
    world.compile(&outer).expect_err("Inner is gone");
    assert_eq!(
        floats(
            &first
                .run([scalar(2.0)], &world.library)
                .expect("still runs")[0]
        ),
        [2.0]
    );
    // Another function of the same name.
    world.build(
        of_float("Inner")
            .node("n", "Neg", &["a"], &float())
            .output("m", FLOAT, "n:y"),
    );
    assert_eq!(
        floats(&world.call(&outer, &[scalar(2.0)]).expect("runs")[0]),
        [-2.0]
    );
    world.library.clear_plans();
    assert_eq!(world.library.num_plans(), 0);
}

#[test]
fn plans_for_other_attributes_are_others() {
    let world = World::new();
    let names = |f: FuncAttr, n: i64| f.with("N", n);
    let function = world.build(FunctionBuilder::new("Fn").attr_with_default("N", 3));
    let three = world.compile(&names(function.clone(), 3)).expect("a plan");
    let four = world.compile(&names(function, 4)).expect("a plan");
    assert!(!Arc::ptr_eq(&three, &four));
}

#[test]
fn kernels_keep_their_state_each_for_itself() {
    let world = World::new();
    world.build(
        of_float("Count")
            .node("n", "Test>Count", &["a"], &id(0))
            .output("m", FLOAT, "n:y"),
    );
    let function = world.build(
        of_float("Twice")
            .node("x", "Count", &["a"], &[])
            .node("y", "Count", &["x:m"], &[])
            .output("m", FLOAT, "y:m"),
    );
    assert!(world.compile(&function).expect("a plan").keeps_state());
    let call = || floats(&world.call(&function, &[scalar(0.0)]).expect("runs")[0]);
    assert_eq!([call(), call(), call()], [[0.0], [2.0], [4.0]]);
    world.library.clear_plans();
    assert_eq!(call(), [0.0]);
}

#[test]
fn a_plan_runs_from_many_threads() {
    let world = World::new();
    // Long enough for a frame that is not on the stack.
    let chain = (1..=20).fold(of_float("Sums"), |f, i| {
        let before = if i == 1 {
            "a".to_owned()
        } else {
            format!("n{}:z", i - 1)
        };
        f.node(&format!("n{i}"), "AddV2", &[&before, "a"], &float())
    });
    let all: Vec<String> = (1..=20).map(|i| format!("n{i}:z")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let attrs = [("T", FLOAT.into()), ("N", 20.into())];
    let function = world.build(
        chain
            .node("sum", "AddN", &all, &attrs)
            .output("m", FLOAT, "sum:sum"),
    );
    let plan = world.compile(&function).expect("a plan");
    thread::scope(|s| {
        for t in 0..4 {
            let (plan, functions): (_, &dyn FunctionLibrary) = (&plan, &world.library);
            s.spawn(move || {
                for i in 0..500 {
                    let x = (t * 500 + i) as f32;
                    // 2 + 3 + … + 21
                    let results = plan.run([scalar(x)], functions).expect("runs");
                    assert_eq!(floats(&results[0]), [230.0 * x]);
                }
            });
        }
    });
}

#[test]
fn functions_come_and_go_while_others_are_called() {
    let world = World::new();
    let steady = world.build(
        of_float("Steady")
            .node("x", "Neg", &["a"], &float())
            .output("m", FLOAT, "x:y"),
    );
    thread::scope(|s| {
        for t in 0..2 {
            let world = &world;
            s.spawn(move || {
                for i in 0..200 {
                    let name = format!("Fn{t}_{i}");
                    let calls = of_float(&name).node("x", "Steady", &["a"], &[]);
                    let function = world.build(calls.output("m", FLOAT, "x:m"));
                    let results = world.call(&function, &[scalar(1.0)]).expect("runs");
                    assert_eq!(floats(&results[0]), [-1.0]);
                    world.library.remove(&name).expect("there");
                    world.call(&function, &[scalar(1.0)]).expect_err("gone");
                }
            });
        }
        for _ in 0..400 {
            world.call(&steady, &[scalar(1.0)]).expect("runs");
        }
    });
    assert_eq!((world.library.len(), world.library.num_plans()), (1, 1));
}
