//! Errors begin with what is wrong in plain words, and keep TensorFlow's code and the words that programs look for.

use tfe_eager::{Code, DataType, Op, PlacementPolicy, Result, TensorHandle};

use crate::world::{World, matrix};

#[track_caller]
fn check(op: Result<Op>, code: Code, plainly: &str, words: &str) {
    let e = op.and_then(Op::run).expect_err(plainly);
    assert_eq!(e.code(), code, "{e}");
    assert_eq!(e.message().lines().next(), Some(plainly), "{e}");
    assert!(e.message().contains(words), "{e}\nwanted: {words}");
}

#[test]
fn what_is_wrong_comes_first() {
    let world = World::with_policy(PlacementPolicy::Silent);
    let ctx = &world.ctx;
    let m = matrix();
    check(
        ctx.op("AddV2"),
        Code::InvalidArgument,
        "AddV2 has no value for attribute 'T', which follows from input 'x': add the inputs, or set it",
        "OpKernel 'AddV2' has constraint on attr 'T' not in NodeDef",
    );
    check(
        ctx.op("AddN").and_then(|op| op.input(&m)?.input(&m)),
        Code::InvalidArgument,
        "AddN has no value for attribute 'T', which follows from the list 'inputs': add the inputs, the list as one, or \
         set it",
        "OpKernel 'AddN' has constraint on attr 'T' not in NodeDef",
    );
    check(
        ctx.op("MatMul").and_then(|op| op.input(&m)),
        Code::InvalidArgument,
        "MatMul takes 2 inputs, and has 1",
        "NodeDef expected inputs 'float, float' do not match 1 inputs specified",
    );
    check(
        ctx.op("TPUReplicateMetadata")
            .map(|op| op.attr("num_replicas", 1i64)),
        Code::NotFound,
        "there is no kernel for TPUReplicateMetadata here: it cannot be run",
        "Could not find device for node: {{node TPUReplicateMetadata}} = TPUReplicateMetadata[",
    );
    let halves = TensorHandle::from_slice(&[1], &[tfe_eager::f16::ONE]).expect("values");
    check(
        ctx.op("Rint").and_then(|op| op.input(&halves)),
        Code::NotFound,
        "Rint has no kernel for T=DT_HALF on CPU; T may be DT_FLOAT, DT_DOUBLE",
        "\nAll kernels registered for op Rint:\n  device='CPU'; T in [DT_FLOAT, DT_DOUBLE]",
    );
    check(
        ctx.op("StringJoin")
            .map(|op| op.attr("N", 0i64))
            .and_then(|op| op.on("TEST:0")),
        Code::NotFound,
        "StringJoin has kernels for CPU and none for TEST",
        "Could not find device for node: {{node StringJoin}}",
    );
    check(
        ctx.op("Cast")
            .and_then(|op| op.input(&m))
            .map(|op| op.attr("SrcT", DataType::Float)),
        Code::NotFound,
        "Cast has no value for attribute 'DstT', which has no default: set it",
        "No attr named 'DstT' in NodeDef",
    );
}
