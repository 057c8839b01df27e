//! The seed's own tests of the C API and of the runtime, in Rust; those that were commented out included.

use std::sync::Arc;

use crate::world::{SQUARE, World, code, floats, matrix};
use tfe_attrs::{AttrBuilder, attr_type_by_name, attr_type_map_for_op};
use tfe_core::Tensor;
use tfe_cpu::{CpuDevice, CpuOptions};
use tfe_device::{Device, KernelRegistry};
use tfe_eager::{
    AttrKind, Code, Context, DataType, KernelAndDevice, Op, PartialShape, Result, TensorHandle,
};
use tfe_ops::OpRegistry;
use tfe_testkit::text;

fn mat_mul(ctx: &Context, a: &TensorHandle, b: &TensorHandle) -> Result<Op> {
    let op = ctx.op("MatMul")?.input(a)?.input(b)?;
    Ok(op
        .attr("transpose_a", false)
        .attr("transpose_b", false)
        .attr("T", a.dtype()))
}

/// A function of one matrix that multiplies it by itself.
const MAT_MUL_FUNCTION: &str = "
    signature {
      name: 'MatMulFunction'
      input_arg { name: 'a' type: DT_FLOAT }
      output_arg { name: 'm' type: DT_FLOAT }
    }
    node_def {
      name: 'matmul' op: 'MatMul' input: 'a' input: 'a'
      attr { key: 'T' value { type: DT_FLOAT } }
    }
    ret { key: 'm' value: 'matmul:product' }";

#[test]
fn context() -> Result<()> {
    let devices: Vec<Arc<dyn Device>> = {
        let ctx = Context::new()?;
        ctx.devices().cloned().collect()
    };
    // The list outlives the context.
    assert!(!devices.is_empty(), "at least one CPU device should exist");
    assert!(devices.iter().all(|d| !d.name().as_str().is_empty()));
    Ok(())
}

#[test]
fn tensor_handle() -> Result<()> {
    let handle = matrix();
    assert_eq!(handle.dtype(), DataType::Float);
    let tensor = handle.to_tensor()?;
    assert_eq!(tensor.byte_size(), 16);
    assert_eq!(tensor.as_slice::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
    Ok(())
}

#[test]
fn tensor_handle_copy_between_devices() {
    World::each(|world| {
        let on_cpu = matrix();
        let want = on_cpu.to_tensor().expect("host memory");
        for device in world.ctx.devices() {
            let name = device.name().as_str();
            let there = on_cpu.copy_to(&world.ctx, name).expect(name);
            assert_eq!(there.device_name().as_str(), name);
            let back = there.copy_to(&world.ctx, "CPU:0").expect(name);
            drop(there);
            let back = back.to_tensor().expect(name);
            assert_eq!(want.byte_size(), back.byte_size());
            assert_eq!(
                want.as_bytes().expect("bytes"),
                back.as_bytes().expect("bytes"),
                "{name}"
            );
        }
    });
}

#[test]
fn execute() -> Result<()> {
    let outputs = {
        let ctx = Context::new()?;
        let m = matrix();
        mat_mul(&ctx, &m, &m)?.run()?
    };
    // Results outlive the context.
    assert_eq!(outputs.len(), 1);
    assert_eq!(floats(&outputs[0]), SQUARE);
    Ok(())
}

#[test]
fn function_def_and_execute() -> Result<()> {
    let ctx = Context::new()?;
    ctx.add_function(text::function_def(MAT_MUL_FUNCTION))?;
    let mut op = ctx.op("MatMulFunction")?;
    op.add_input(&matrix())?;
    let outputs = op.execute()?;
    assert_eq!(outputs.len(), 1);
    assert_eq!(floats(&outputs[0]), SQUARE);
    Ok(())
}

fn create_variable(ctx: &Context, value: f32) -> Result<TensorHandle> {
    let handle = ctx
        .op("VarHandleOp")?
        .attr("dtype", DataType::Float)
        .attr("shape", PartialShape::of(&[]))
        .attr("container", "")
        .attr("shared_name", "")
        .run1()?;
    let value = TensorHandle::scalar(value)?;
    let assign = ctx.op("AssignVariableOp")?.attr("dtype", DataType::Float);
    let outputs = assign.input(&handle)?.input(&value)?.run()?;
    assert!(outputs.is_empty());
    Ok(handle)
}

#[test]
fn variables() -> Result<()> {
    let ctx = Context::new()?;
    let variable = create_variable(&ctx, 12.0)?;
    let value = ctx
        .op("ReadVariableOp")?
        .attr("dtype", DataType::Float)
        .input(&variable)?
        .run1()?;
    assert_eq!(value.dtype(), DataType::Float);
    assert_eq!(value.dims().expect("a shape").len(), 0);
    assert_eq!(value.to_tensor()?.byte_size(), size_of::<f32>());
    assert_eq!(value.to_scalar::<f32>()?, 12.0);
    Ok(())
}

#[test]
fn attr_type_map_lookup() -> Result<()> {
    let ops = OpRegistry::new();
    assert_eq!(
        code(attr_type_map_for_op(&ops, "ThisOpCannotPossiblyExist").map(|_| ())),
        Code::NotFound
    );
    let map = attr_type_map_for_op(&ops, "MatMul")?;
    assert_eq!(map.iter().len(), 5);
    let unknown = attr_type_by_name(map, "ThisAttribyteCannotPossiblyExist");
    assert_eq!(code(unknown), Code::InvalidArgument);
    assert_eq!(
        attr_type_by_name(map, "transpose_a")?,
        (AttrKind::Bool, false)
    );
    let squeeze = attr_type_map_for_op(&ops, "Squeeze")?;
    assert_eq!(
        attr_type_by_name(squeeze, "squeeze_dims")?,
        (AttrKind::Int, true)
    );
    Ok(())
}

#[test]
fn kernel_and_device_run() -> Result<()> {
    let t = Tensor::from_slice(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
    let ops = OpRegistry::new();
    let mut attrs = AttrBuilder::new(tfe_attrs::find_op(&ops, "MatMul")?);
    attrs
        .set("T", DataType::Float)
        .set("transpose_a", false)
        .set("transpose_b", false)
        .num_inputs(2);
    let device: Arc<dyn Device> = Arc::new(CpuDevice::new(0, &CpuOptions::default()));
    let kernels = KernelRegistry::new(tfe_kernels::all());
    let kernel = KernelAndDevice::from_op(&device, &attrs.build_node_def(), &ops, &kernels)?;
    let outputs = kernel.run(&[t.clone(), t])?;
    assert_eq!(outputs.len(), 1);
    assert_eq!(outputs[0].as_slice::<f32>()?, SQUARE);
    Ok(())
}
