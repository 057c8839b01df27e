//! Devices with memory of their own: placement, policies, copies, host memory, variables and functions across them.

use tfe_core::Buffer;
use tfe_eager::{
    Code, Context, ContextOptions, DataType, Op, PartialShape, PlacementPolicy, Result, TString,
    TensorHandle,
};
use tfe_testkit::device::{Counts, TestOptions};
use tfe_testkit::text;

use crate::world::{CPU, TEST_0, TEST_1, World, code, floats, matrix};

fn is_remote(handle: &TensorHandle) -> bool {
    handle.is_remote().expect("a value")
}

fn buffer(handle: &TensorHandle) -> &Buffer {
    handle.tensor().expect("a value").buffer()
}

fn add(ctx: &Context, a: &TensorHandle, b: &TensorHandle) -> Op {
    ctx.op("AddV2")
        .and_then(|op| op.input(a)?.input(b))
        .expect("AddV2")
}

fn vector(values: &[f32]) -> TensorHandle {
    TensorHandle::from_slice(&[values.len() as i64], values).expect("a vector")
}

fn on(world: &World, device: &str, handle: &TensorHandle) -> TensorHandle {
    handle.copy_to(&world.ctx, device).expect(device)
}

fn place(handle: &TensorHandle) -> &str {
    handle.device_name().as_str()
}

#[test]
fn a_handle_is_copied_between_any_two_devices() {
    World::each(|world| {
        let places = [
            ("CPU:0", CPU),
            ("TEST:0", TEST_0),
            ("/device:TEST:1", TEST_1),
        ];
        for (from, from_name) in places {
            for (to, to_name) in places {
                let here = on(world, from, &vector(&[1.0, 2.0]));
                let there = on(world, to, &here);
                assert_eq!((place(&here), place(&there)), (from_name, to_name));
                assert_eq!(there.is_remote().expect("a value"), to_name != CPU);
                assert_eq!(floats(&there), [1.0, 2.0], "{from} to {to}");
                let shared = buffer(&there).same(buffer(&here));
                assert_eq!(
                    shared,
                    from == to,
                    "only a copy to the same place shares: {from} to {to}"
                );
                let own = there.deep_copy().expect(to);
                assert!(!buffer(&own).same(buffer(&there)));
                assert_eq!((place(&own), floats(&own)), (to_name, vec![1.0, 2.0]));
            }
        }
        assert!(
            world.tests.iter().all(|d| d.used_bytes() == 0),
            "nothing is left over"
        );
    });
}

#[test]
fn what_cannot_be_copied_is_an_error() {
    let world = World::with_policy(PlacementPolicy::Silent);
    let strings = TensorHandle::from_slice(&[1], &[TString::from("a")]).expect("strings");
    assert_eq!(
        code(strings.copy_to(&world.ctx, "TEST:0")),
        Code::Unimplemented
    );
    assert_eq!(
        code(matrix().copy_to(&world.ctx, "TEST:2")),
        Code::InvalidArgument
    );
    assert_eq!(
        code(matrix().copy_to(&world.ctx, "not a device")),
        Code::InvalidArgument
    );
    let remote = on(&world, "TEST:0", &matrix());
    assert_eq!(
        code(
            remote
                .tensor()
                .and_then(|t| t.as_slice::<f32>())
                .map(|_| ())
        ),
        Code::Internal
    );
}

#[test]
fn the_first_input_on_a_device_decides_unless_a_device_is_asked_for() {
    World::each(|world| {
        let ctx = &world.ctx;
        let here = vector(&[1.0]);
        let (t0, t1) = (on(world, "TEST:0", &here), on(world, "TEST:1", &here));
        for (a, b, wish, want) in [
            (&here, &here, "", CPU),
            (&here, &here, "TEST:1", TEST_1),
            (&t0, &here, "", TEST_0),
            (&here, &t1, "", TEST_1),
            (&t1, &t0, "", TEST_1),
            (&t0, &t1, "", TEST_0),
            (&t0, &t1, "CPU:0", CPU),
            (
                &t0,
                &t0,
                "/job:localhost/replica:0/task:0/device:TEST:1",
                TEST_1,
            ),
        ] {
            let sum = add(ctx, a, b).on(wish).and_then(Op::run1).expect(want);
            assert_eq!(place(&sum), want, "{} + {} on '{wish}'", place(a), place(b));
            assert_eq!(is_remote(&sum), want != CPU);
            assert_eq!(floats(&sum), [2.0]);
        }
    });
}

#[test]
fn inputs_stay_where_the_program_put_them() {
    let world = World::with_policy(PlacementPolicy::Silent);
    let (here, there) = (vector(&[1.0]), on(&world, "TEST:0", &vector(&[2.0])));
    add(&world.ctx, &here, &there).run1().expect("on TEST:0");
    assert_eq!((place(&here), place(&there)), (CPU, TEST_0));
    assert!(!is_remote(&here) && is_remote(&there));
}

#[test]
fn a_device_that_is_not_there_is_an_error_before_anything_runs() {
    let world = World::with_policy(PlacementPolicy::Silent);
    let x = vector(&[1.0]);
    for wish in ["TEST:2", "/device:GPU:0", "/job:worker/task:3/device:CPU:0"] {
        let op = add(&world.ctx, &x, &x)
            .on(wish)
            .expect("a spelling of a device");
        assert_eq!(code(op.run1()), Code::InvalidArgument, "{wish}");
    }
    assert_eq!(
        code(add(&world.ctx, &x, &x).on("not a device").map(|_| ())),
        Code::InvalidArgument
    );
    assert!(world.tests.iter().all(|d| d.counts() == Counts::default()));
}

#[test]
fn an_op_without_a_kernel_on_the_device_goes_to_the_cpu_if_it_may() {
    // There is no kernel for uint8 on test devices.
    let select = |world: &World, wish: &str| -> Result<TensorHandle> {
        let x = TensorHandle::from_slice(&[2], &[1u8, 2])?.copy_to(&world.ctx, "TEST:0")?;
        add(&world.ctx, &x, &x).on(wish)?.run1()
    };
    let world = World::with_policy(PlacementPolicy::Silent);
    let sum = select(&world, "").expect("on the CPU");
    assert_eq!(
        (place(&sum), sum.to_vec::<u8>().expect("uint8")),
        (CPU, vec![2, 4])
    );
    assert_eq!(code(select(&world, "TEST:0")), Code::NotFound);
    let soft = ContextOptions {
        soft_placement: true,
        ..ContextOptions::default()
    };
    let world = World::new(TestOptions::default(), soft);
    let sum = select(&world, "TEST:0").expect("on the CPU");
    assert_eq!(place(&sum), CPU);
    assert_eq!(place(&select(&world, "TEST:7").expect("on the CPU")), CPU);
}

#[test]
fn policies_say_which_inputs_may_be_copied() {
    use PlacementPolicy::{Explicit, Silent, SilentForInt32, Warn};
    for (policy, floats_move, ints_move) in [
        (Explicit, false, false),
        (Warn, true, true),
        (Silent, true, true),
        (SilentForInt32, false, true),
    ] {
        let world = World::with_policy(policy);
        let float = on(&world, "TEST:0", &vector(&[1.0]));
        let int = TensorHandle::from_slice(&[1], &[1i32]).expect("int32");
        let int = on(&world, "TEST:0", &int);
        let before = world.tests[0].counts();
        for (input, may_move) in [(&float, floats_move), (&int, ints_move)] {
            let mut op = add(&world.ctx, input, input).on("CPU:0").expect("CPU:0");
            match op.execute() {
                Ok(outputs) => {
                    assert!(may_move, "{policy:?} {}", input.dtype());
                    assert_eq!(place(&outputs[0]), CPU);
                }
                Err(e) => {
                    assert!(!may_move, "{policy:?}: {e}");
                    assert_eq!(e.code(), Code::InvalidArgument);
                    assert!(
                        e.message().contains("Tensors on conflicting devices"),
                        "{e}"
                    );
                    assert_eq!(
                        op.num_inputs(),
                        2,
                        "a call that did not run keeps its inputs"
                    );
                }
            }
        }
        let copied = 2 * usize::from(floats_move) + 2 * usize::from(ints_move);
        assert_eq!(
            world.tests[0].counts().to_host - before.to_host,
            copied,
            "{policy:?}"
        );
    }
}

#[test]
fn a_policy_is_of_one_thread() {
    let world = World::with_policy(PlacementPolicy::Silent);
    world
        .ctx
        .set_thread_local_placement_policy(PlacementPolicy::Explicit);
    let x = on(&world, "TEST:0", &vector(&[1.0]));
    let run = || add(&world.ctx, &x, &x).on("CPU:0").and_then(Op::run1);
    assert_eq!(code(run()), Code::InvalidArgument);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            assert_eq!(world.ctx.placement_policy(), PlacementPolicy::Silent);
            run().expect("silent on the other thread")
        });
        assert_eq!(place(&other.join().expect("no panic")), CPU);
    });
}

#[test]
fn host_arguments_are_not_copied_to_the_device() {
    World::each(|world| {
        let ctx = &world.ctx;
        let rows = on(world, "TEST:0", &matrix());
        let axis = TensorHandle::scalar(0i32).expect("axis");
        let before = world.tests[0].counts();
        let concat = |axis: &TensorHandle| {
            let op = ctx
                .op("ConcatV2")?
                .input_list(&[rows.clone(), rows.clone()])?
                .input(axis)?;
            op.attr("N", 2).run1()
        };
        let joined = concat(&axis).expect("on TEST:0");
        assert_eq!(
            (place(&joined), joined.dims().expect("a shape")),
            (TEST_0, &[4, 2][..])
        );
        assert_eq!(world.tests[0].counts().from_host, before.from_host);
        assert_eq!(world.tests[0].counts().to_host, before.to_host);
        assert_eq!(floats(&joined), [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]);
        // An axis that lies on the device is fetched.
        let remote_axis = on(world, "TEST:1", &axis);
        let joined = concat(&remote_axis).expect("on TEST:0");
        assert_eq!(
            (place(&joined), joined.dims().expect("a shape")),
            (TEST_0, &[4, 2][..])
        );
        assert_eq!(world.tests[1].counts().to_host, 1);
    });
}

#[test]
fn results_in_host_memory_can_be_read_at_once() {
    World::each(|world| {
        let ctx = &world.ctx;
        let rows = on(world, "TEST:0", &vector(&[3.0, 1.0, 2.0]));
        let k = TensorHandle::scalar(2i32).expect("k");
        for (index_type, on_host) in [(DataType::Int32, false), (DataType::Int64, true)] {
            let op = ctx
                .op("TopKV2")
                .and_then(|op| op.input(&rows)?.input(&k))
                .expect("TopKV2");
            let outputs = op.attr("index_type", index_type).run().expect("on TEST:0");
            let (values, indices) = (&outputs[0], &outputs[1]);
            assert_eq!((place(values), is_remote(values)), (TEST_0, true));
            assert_eq!(floats(values), [3.0, 2.0]);
            assert_eq!(is_remote(indices), !on_host);
            assert_eq!(
                indices.backing_device_name().expect("a value").as_str(),
                if on_host { CPU } else { TEST_0 }
            );
            let indices = indices.to_tensor().expect("indices");
            assert_eq!(indices.dtype(), index_type);
        }
        // Integers that a device leaves to the host, as TensorFlow's GPU does: nothing is copied there and back.
        let int = TensorHandle::from_slice(&[2], &[1i32, 2]).expect("int32");
        let before = world.tests[0].counts();
        let sum = add(ctx, &int, &int)
            .on("TEST:0")
            .and_then(Op::run1)
            .expect("on TEST:0");
        assert!(!is_remote(&sum));
        assert_eq!(sum.to_vec::<i32>().expect("int32"), [2, 4]);
        let after = world.tests[0].counts();
        assert_eq!(
            (after.from_host, after.to_host),
            (before.from_host, before.to_host)
        );
        assert_eq!(after.kernels, before.kernels + 1);
    });
}

fn variable(ctx: &Context, device: &str, name: &str) -> TensorHandle {
    let op = ctx
        .op("VarHandleOp")
        .and_then(|op| op.on(device))
        .expect("VarHandleOp");
    let op = op
        .attr("dtype", DataType::Float)
        .attr("shape", PartialShape::unknown());
    op.attr("shared_name", name).run1().expect("a handle")
}

fn assign(ctx: &Context, variable: &TensorHandle, value: &TensorHandle) -> Result<()> {
    ctx.op("AssignVariableOp")?
        .input(variable)?
        .input(value)?
        .run()
        .map(drop)
}

fn read(ctx: &Context, variable: &TensorHandle) -> Result<Op> {
    Ok(ctx
        .op("ReadVariableOp")?
        .input(variable)?
        .attr("dtype", DataType::Float))
}

#[test]
fn a_variable_lives_on_its_device_and_calls_follow_it() {
    World::each(|world| {
        let ctx = &world.ctx;
        let devices = [("CPU:0", CPU), ("TEST:0", TEST_0), ("TEST:1", TEST_1)];
        // One name, three devices, three variables.
        let variables = devices.map(|(device, _)| variable(ctx, device, "v"));
        for (v, (_, name)) in variables.iter().zip(devices) {
            assert_eq!(place(v), name);
            assert!(!is_remote(v), "a handle lies in host memory");
            assert_eq!(
                code(read(ctx, v).and_then(Op::run1)),
                Code::FailedPrecondition
            );
        }
        for (i, v) in variables.iter().enumerate() {
            // From each device by turns.
            let value = on(world, devices[(i + 1) % 3].0, &vector(&[i as f32, 10.0]));
            assign(ctx, v, &value).expect("the value is brought to the variable");
        }
        for (i, (v, (_, name))) in variables.iter().zip(devices).enumerate() {
            let value = read(ctx, v).and_then(Op::run1).expect(name);
            assert_eq!((place(&value), is_remote(&value)), (name, name != CPU));
            assert_eq!(floats(&value), [i as f32, 10.0]);
        }
        // A reader that insists on another device does not find it there.
        let elsewhere = read(ctx, &variables[1])
            .and_then(|op| op.on("TEST:1"))
            .expect("TEST:1");
        assert_eq!(code(elsewhere.run1()), Code::FailedPrecondition);
        // What was read before stays as it was.
        let old = read(ctx, &variables[1]).and_then(Op::run1).expect("old");
        assign(ctx, &variables[1], &vector(&[7.0, 7.0])).expect("a new value");
        assert_eq!(floats(&old), [1.0, 10.0]);
        assert_eq!(
            floats(&read(ctx, &variables[1]).and_then(Op::run1).expect("new")),
            [7.0, 7.0]
        );
    });
}

#[test]
fn variables_give_their_memory_back_with_the_context() {
    let world = World::with_policy(PlacementPolicy::Silent);
    let v = variable(&world.ctx, "TEST:0", "v");
    assign(&world.ctx, &v, &vector(&[1.0; 8])).expect("assigned");
    assert_eq!(world.tests[0].used_bytes(), 32);
    assign(&world.ctx, &v, &vector(&[1.0; 4])).expect("assigned");
    assert_eq!(world.tests[0].used_bytes(), 16);
    let World { ctx, tests } = world;
    drop(ctx);
    assert_eq!(
        tests[0].used_bytes(),
        0,
        "although a handle to the variable is alive"
    );
    drop(v);
}

#[test]
fn a_device_that_is_full_fails_the_call_and_nothing_else() {
    let options = TestOptions {
        memory: 64,
        ..TestOptions::default()
    };
    let world = World::new(options, ContextOptions::default());
    let x = on(&world, "TEST:0", &vector(&[1.0; 8]));
    let sum = add(&world.ctx, &x, &x).run1().expect("64 bytes in all");
    assert_eq!(
        code(add(&world.ctx, &x, &x).run1()),
        Code::ResourceExhausted
    );
    assert_eq!(
        code(vector(&[1.0]).copy_to(&world.ctx, "TEST:0")),
        Code::ResourceExhausted
    );
    drop(sum);
    assert_eq!(
        floats(&add(&world.ctx, &x, &x).run1().expect("there is room again")),
        [2.0; 8]
    );
}

/// `b = a + a; m = b * b`, with the devices of the two nodes.
fn two_nodes(name: &str, first: &str, second: &str) -> String {
    format!(
        "signature {{
           name: '{name}' input_arg {{ name: 'a' type: DT_FLOAT }} output_arg {{ name: 'm' type: DT_FLOAT }}
         }}
         node_def {{
           name: 'b' op: 'AddV2' input: 'a' input: 'a' device: '{first}'
           attr {{ key: 'T' value {{ type: DT_FLOAT }} }}
         }}
         node_def {{
           name: 'm' op: 'Mul' input: 'b:z:0' input: 'b:z:0' device: '{second}'
           attr {{ key: 'T' value {{ type: DT_FLOAT }} }}
         }}
         ret {{ key: 'm' value: 'm:z:0' }}"
    )
}

#[test]
fn a_function_runs_on_its_device_and_its_nodes_on_theirs() {
    World::each(|world| {
        let ctx = &world.ctx;
        for (name, first, second) in [
            ("anywhere", "", ""),
            ("one", "", "/device:TEST:1"),
            ("two", "/device:TEST:0", "/device:TEST:1"),
            ("host_between", "/device:CPU:0", ""),
            ("host_last", "/device:TEST:1", "/device:CPU:0"),
        ] {
            ctx.add_function(text::function_def(&two_nodes(name, first, second)))
                .expect(name);
            for (wish, want) in [("", CPU), ("TEST:0", TEST_0), ("TEST:1", TEST_1)] {
                for from in ["CPU:0", "TEST:0", "TEST:1"] {
                    let a = on(world, from, &vector(&[1.0, 3.0]));
                    let want = if wish.is_empty() && from != "CPU:0" {
                        place(&a)
                    } else {
                        want
                    };
                    let call = ctx.op(name).and_then(|op| op.on(wish)?.input(&a)?.run1());
                    let result = call.expect(name);
                    assert_eq!(
                        place(&result),
                        want,
                        "{name} on '{wish}' with an input from {from}"
                    );
                    assert_eq!(is_remote(&result), want != CPU);
                    assert_eq!(floats(&result), [4.0, 36.0]);
                }
            }
        }
        let (t0, t1) = (world.tests[0].counts(), world.tests[1].counts());
        assert!(
            t0.from_peer > 0 && t1.from_peer > 0,
            "values went from device to device"
        );
        ctx.clear_caches();
        assert!(
            world.tests.iter().all(|d| d.used_bytes() == 0),
            "plans hold no values"
        );
    });
}

#[test]
fn a_node_without_a_kernel_on_the_functions_device_runs_on_the_host() {
    World::each(|world| {
        let ctx = &world.ctx;
        // Test devices have no AddV2 of uint8, but an Identity.
        let function = "
            signature { name: 'f' input_arg { name: 'a' type: DT_UINT8 } output_arg { name: 'm' type: DT_UINT8 } }
            node_def {
              name: 'sum' op: 'AddV2' input: 'a' input: 'a' attr { key: 'T' value { type: DT_UINT8 } }
            }
            node_def {
              name: 'same' op: 'Identity' input: 'sum:z:0' attr { key: 'T' value { type: DT_UINT8 } }
            }
            ret { key: 'm' value: 'same:output:0' }";
        ctx.add_function(text::function_def(function)).expect("f");
        let a = TensorHandle::from_slice(&[2], &[1u8, 2]).expect("uint8");
        let a = on(world, "TEST:1", &a);
        let result = ctx.op("f").and_then(|op| op.input(&a)?.run1()).expect("f");
        assert_eq!((place(&result), is_remote(&result)), (TEST_1, true));
        assert_eq!(result.to_vec::<u8>().expect("uint8"), [2, 4]);
    });
}

#[test]
fn a_function_uses_variables_of_several_devices() {
    World::each(|world| {
        let ctx = &world.ctx;
        let function = "
            signature {
              name: 'f'
              input_arg { name: 'x' type: DT_RESOURCE } input_arg { name: 'y' type: DT_RESOURCE }
              input_arg { name: 'a' type: DT_FLOAT }
              output_arg { name: 'm' type: DT_FLOAT }
              is_stateful: true
            }
            node_def {
              name: 'x_value' op: 'ReadVariableOp' input: 'x'
              attr { key: 'dtype' value { type: DT_FLOAT } }
            }
            node_def {
              name: 'sum' op: 'AddV2' input: 'x_value:value:0' input: 'a'
              attr { key: 'T' value { type: DT_FLOAT } }
            }
            node_def {
              name: 'keep' op: 'AssignVariableOp' input: 'y' input: 'sum:z:0'
              attr { key: 'dtype' value { type: DT_FLOAT } }
            }
            node_def {
              name: 'y_value' op: 'ReadVariableOp' input: 'y' input: '^keep'
              attr { key: 'dtype' value { type: DT_FLOAT } }
            }
            ret { key: 'm' value: 'y_value:value:0' }";
        ctx.add_function(text::function_def(function)).expect("f");
        for (x_device, y_device) in [
            ("TEST:0", "TEST:1"),
            ("TEST:1", "CPU:0"),
            ("CPU:0", "TEST:0"),
        ] {
            let x = variable(ctx, x_device, &format!("x of {x_device}"));
            let y = variable(ctx, y_device, &format!("y of {y_device}"));
            assign(ctx, &x, &vector(&[1.0, 2.0])).expect("assigned");
            for wish in ["", "CPU:0", "TEST:0", "TEST:1"] {
                let op = ctx.op("f").and_then(|op| op.on(wish)?.input(&x)?.input(&y));
                let op = op
                    .and_then(|op| op.input(&vector(&[10.0, 10.0])))
                    .expect("f");
                let result = op
                    .run1()
                    .unwrap_or_else(|e| panic!("{x_device}, {y_device}, '{wish}': {e}"));
                assert_eq!(floats(&result), [11.0, 12.0]);
                let kept = read(ctx, &y).and_then(Op::run1).expect("y");
                let home = ctx
                    .find_device(y_device)
                    .expect("a device")
                    .name()
                    .as_str()
                    .to_owned();
                assert_eq!((place(&kept), floats(&kept)), (&*home, vec![11.0, 12.0]));
            }
        }
    });
}

#[test]
fn a_function_gives_results_in_host_memory() {
    World::each(|world| {
        let ctx = &world.ctx;
        let function = "
            signature {
              name: 'f' input_arg { name: 'a' type: DT_FLOAT }
              output_arg { name: 'values' type: DT_FLOAT } output_arg { name: 'indices' type: DT_INT64 }
            }
            node_def {
              name: 'k' op: 'Const'
              attr { key: 'dtype' value { type: DT_INT32 } }
              attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 2 } } }
            }
            node_def {
              name: 'top' op: 'TopKV2' input: 'a' input: 'k:output:0'
              attr { key: 'T' value { type: DT_FLOAT } }
              attr { key: 'index_type' value { type: DT_INT64 } }
            }
            ret { key: 'values' value: 'top:values:0' } ret { key: 'indices' value: 'top:indices:0' }";
        ctx.add_function(text::function_def(function)).expect("f");
        let a = on(world, "TEST:0", &vector(&[3.0, 1.0, 2.0]));
        let outputs = ctx.op("f").and_then(|op| op.input(&a)?.run()).expect("f");
        assert_eq!(floats(&outputs[0]), [3.0, 2.0]);
        assert_eq!(outputs[1].to_vec::<i64>().expect("int64"), [0, 2]);
        assert_eq!(place(&outputs[0]), TEST_0);
    });
}

#[test]
fn a_function_inside_a_function_is_placed_too() {
    World::each(|world| {
        let ctx = &world.ctx;
        ctx.add_function(text::function_def(&two_nodes(
            "inner",
            "/device:TEST:1",
            "",
        )))
        .expect("inner");
        let outer = "
            signature { name: 'outer' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'm' type: DT_FLOAT } }
            node_def { name: 'once' op: 'inner' input: 'a' }
            node_def { name: 'twice' op: 'inner' input: 'once:m:0' }
            ret { key: 'm' value: 'twice:m:0' }";
        ctx.add_function(text::function_def(outer)).expect("outer");
        let a = on(world, "TEST:0", &vector(&[1.0]));
        let result = ctx
            .op("outer")
            .and_then(|op| op.input(&a)?.run1())
            .expect("outer");
        assert_eq!((place(&result), floats(&result)), (TEST_0, vec![64.0]));
    });
}
