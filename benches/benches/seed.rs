//! The benchmarks of the 2017 change, commented out there, on the Rust API. Result handles are dropped in each turn.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use tfe_attrs::{AttrBuilder, FuncAttr};
use tfe_core::{DataType, Tensor};
use tfe_cpu::{CpuDevice, CpuOptions};
use tfe_device::KernelRegistry;
use tfe_eager::{Context, Device, KernelAndDevice, Op, TensorHandle};
use tfe_function::{FunctionBuilder, Library, Placement};
use tfe_ops::OpRegistry;
use tfe_proto::tensorflow::{FunctionDef, NodeDef};

fn matrix() -> TensorHandle {
    TensorHandle::from_slice(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0]).expect("a tensor")
}

fn matmul(ctx: &Context, a: &TensorHandle) -> tfe_eager::Result<Op> {
    Ok(ctx
        .op("MatMul")?
        .input(a)?
        .input(a)?
        .attr("transpose_a", false)
        .attr("transpose_b", false)
        .attr("T", a.dtype()))
}

fn eager(c: &mut Criterion) {
    let ctx = Context::new().expect("a context");
    let m = matrix();
    c.bench_function("BM_InitOp", |b| b.iter(|| matmul(&ctx, &m)));
    c.bench_function("BM_Execute", |b| b.iter(|| matmul(&ctx, &m)?.run1()));

    let function = FunctionBuilder::new("MatMulFunction")
        .input("a", DataType::Float)
        .node(
            "matmul",
            "MatMul",
            &["a", "a"],
            &[("T", DataType::Float.into())],
        )
        .output("m", DataType::Float, "matmul:product");
    ctx.add_function(function.build().expect("a definition"))
        .expect("a function");
    c.bench_function("BM_ExecuteFunction", |b| {
        b.iter(|| ctx.op("MatMulFunction")?.input(&m)?.run1())
    });

    let variable = ctx
        .op("VarHandleOp")
        .expect("an op")
        .attr("dtype", DataType::Float);
    let variable = variable
        .attr("shape", tfe_eager::PartialShape::of(&[]))
        .run1()
        .expect("a variable");
    let five = TensorHandle::scalar(5.0f32).expect("a tensor");
    let assign = ctx
        .op("AssignVariableOp")
        .and_then(|op| op.input(&variable)?.input(&five));
    assign.and_then(Op::run).expect("assigned");
    c.bench_function("BM_ReadVariable", |b| {
        b.iter(|| {
            ctx.op("ReadVariableOp")?
                .attr("dtype", DataType::Float)
                .input(&variable)?
                .run1()
        });
    });
}

fn matmul_node(ops: &OpRegistry) -> NodeDef {
    let spec = ops.lookup("MatMul").expect("an op");
    let mut attrs = AttrBuilder::new(spec);
    attrs
        .set("T", DataType::Float)
        .set("transpose_a", false)
        .set("transpose_b", false)
        .num_inputs(2);
    attrs.build_node_def()
}

fn kernel_and_device(c: &mut Criterion) {
    let ops = OpRegistry::new();
    let kernels = KernelRegistry::new(tfe_kernels::all());
    let device: Arc<dyn Device> = Arc::new(CpuDevice::new(0, &CpuOptions::default()));
    let node = matmul_node(&ops);
    let init = || KernelAndDevice::from_op(&device, black_box(&node), &ops, &kernels);
    c.bench_function("BM_KernelAndDeviceInit", |b| b.iter(init));

    let kernel = init().expect("a kernel");
    let t = Tensor::from_slice(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0]).expect("a tensor");
    let inputs = [t.clone(), t];
    c.bench_function("BM_KernelAndDeviceRun", |b| {
        b.iter(|| kernel.run(black_box(&inputs)))
    });
}

/// The graph of the seed's three graph benchmarks, as a function: a constant times itself.
fn square() -> FunctionDef {
    let c = Tensor::from_slice(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0]).expect("a tensor");
    FunctionBuilder::new("SquareOfConstant")
        .constant("C", c)
        .node(
            "M",
            "MatMul",
            &["C:output", "C:output"],
            &[("T", DataType::Float.into())],
        )
        .output("m", DataType::Float, "M:product")
        .build()
        .expect("a definition")
}

fn graph(c: &mut Criterion) {
    c.bench_function("BM_CreateGraph", |b| b.iter(square));

    let ops = Arc::new(OpRegistry::new());
    let kernels = Arc::new(KernelRegistry::new(tfe_kernels::all()));
    let device: Arc<dyn Device> = Arc::new(CpuDevice::new(
        0,
        &CpuOptions {
            threads: Some(1),
            ..CpuOptions::default()
        },
    ));
    let library = Library::new(ops, kernels, vec![Arc::clone(&device)]);
    library.add(square()).expect("a function");
    let (call, place) = (FuncAttr::new("SquareOfConstant"), Placement::on(&*device));
    let plan = library.compile(&call, &place).expect("a plan");
    c.bench_function("BM_RunGraph", |b| b.iter(|| plan.run([], &library)));
    c.bench_function("BM_CreateAndDestroySession", |b| {
        b.iter(|| library.compile(&call, &place))
    });
}

criterion_group!(benches, eager, kernel_and_device, graph);
criterion_main!(benches);
