//! The kernels of test devices: host kernels that are brought the data of the device, and their results taken back.

use std::marker::PhantomData;
use std::sync::Arc;

use tfe_core::{DTypeSet, DataType, Result, Shape, Tensor, ensure, err};
use tfe_device::{
    BoundKernel, Device, Kernel, KernelContext, KernelDef, KernelInit, KernelRegistry, Run,
};
use tfe_ops::ops;

use super::memory::{Cells, TestMemory, to_tensor};
use super::{DEVICE_TYPE, Machine, TestDevice};

/// Where the host kernels come from.
///
/// A kernel declaration names a plain function that builds the kernel, so the kernels to be wrapped come by a type.
pub trait HostKernels: 'static {
    /// The kernels of the type `CPU`.
    fn registry() -> &'static KernelRegistry;
}

/// Declarations of kernels for test devices.
///
/// They show what a GPU needs: data types without a kernel (`MatMul` of `double`), arguments in host memory (`k` of
/// `TopKV2`, axes), a result in host memory beside one on the device (`indices` of `TopKV2`, if they are `int64`), and
/// ops that run on the host although they are called on the device (`AddV2` of `int32`, as in TensorFlow).
pub fn kernels<H: HostKernels>() -> &'static [KernelDef] {
    Table::<H>::KERNELS
}

struct Table<H>(PhantomData<H>);

/// What kernels that only move elements take.
const ANYWHERE: DTypeSet = DTypeSet::NUMBER.union(DTypeSet::of(&[DataType::Bool]));

/// What kernels that calculate take.
const ELEMENTS: DTypeSet = DTypeSet::FLOAT.union(DTypeSet::of(&[DataType::Int64]));

impl<H: HostKernels> Table<H> {
    const KERNELS: &'static [KernelDef] = &[
        KernelDef {
            types: &[("T", ELEMENTS)],
            ..on_device(ops::ADD_V2, staged::<H>)
        },
        KernelDef {
            types: &[("T", DTypeSet::of(&[DataType::Int32]))],
            host_inputs: &["x", "y"],
            host_outputs: &["z"],
            ..on_device(ops::ADD_V2, unseen::<H>)
        },
        KernelDef {
            types: &[("T", ELEMENTS)],
            ..on_device(ops::MUL, staged::<H>)
        },
        KernelDef {
            types: &[("T", DTypeSet::of(&[DataType::Float]))],
            ..on_device(ops::MAT_MUL, staged::<H>)
        },
        KernelDef {
            types: &[("T", ELEMENTS)],
            host_inputs: &["reduction_indices"],
            ..on_device(ops::SUM, staged::<H>)
        },
        KernelDef {
            types: &[("T", ANYWHERE)],
            host_inputs: &["axis"],
            ..on_device(ops::CONCAT_V2, staged::<H>)
        },
        KernelDef {
            types: &[("T", ANYWHERE)],
            host_inputs: &["begin", "end", "strides"],
            ..on_device(ops::STRIDED_SLICE, staged::<H>)
        },
        KernelDef {
            types: &[
                ("T", ELEMENTS),
                ("index_type", DTypeSet::of(&[DataType::Int32])),
            ],
            host_inputs: &["k"],
            ..on_device(ops::TOP_KV2, staged::<H>)
        },
        KernelDef {
            types: &[
                ("T", ELEMENTS),
                ("index_type", DTypeSet::of(&[DataType::Int64])),
            ],
            host_inputs: &["k"],
            host_outputs: &["indices"],
            ..on_device(ops::TOP_KV2, staged::<H>)
        },
        KernelDef {
            types: &[("dtype", DTypeSet::PLAIN)],
            ..on_device(ops::CONST, staged::<H>)
        },
        KernelDef {
            types: &[("T", DTypeSet::PLAIN)],
            ..on_device(ops::IDENTITY, unseen::<H>)
        },
        on_device(ops::NO_OP, unseen::<H>),
        KernelDef {
            host_outputs: &["resource"],
            ..on_device(ops::VAR_HANDLE_OP, unseen::<H>)
        },
        KernelDef {
            types: &[("dtype", ANYWHERE)],
            host_inputs: &["resource"],
            ..on_device(ops::ASSIGN_VARIABLE_OP, unseen::<H>)
        },
        KernelDef {
            types: &[("dtype", ANYWHERE)],
            host_inputs: &["resource"],
            ..on_device(ops::READ_VARIABLE_OP, unseen::<H>)
        },
    ];
}

const fn on_device(
    op: tfe_ops::OpId,
    build: fn(&KernelInit<'_>) -> Result<Box<dyn Kernel>>,
) -> KernelDef {
    KernelDef::on(DEVICE_TYPE, op, build)
}

/// The host kernel itself, for ops that pass tensors on and never look at their elements.
fn unseen<H: HostKernels>(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    (host_kernel::<H>(init)?.build)(init)
}

fn host_kernel<H: HostKernels>(init: &KernelInit<'_>) -> Result<&'static KernelDef> {
    let def = H::registry().find(init.spec, "CPU", init.attrs)?;
    def.map(|def| &**def).ok_or_else(|| {
        err!(
            NotFound,
            "the host has no kernel for {} to run on a test device",
            init.spec.name()
        )
    })
}

/// The host kernel between a copy in and a copy out.
fn staged<H: HostKernels>(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let kernels = KernelRegistry::new(kernels::<H>());
    let own = kernels.find(init.spec, DEVICE_TYPE, init.attrs)?;
    let in_host_memory = own.map_or(&[][..], |def| def.host_outputs);
    let outputs = init.attrs.flat_outputs(init.spec)?;
    let init = KernelInit {
        op: init.op,
        device: &*machine_of(init.device)?.processor,
        functions: init.functions,
    };
    let rule = H::registry().rule(init.spec.id());
    Ok(Box::new(Staged {
        kernel: Arc::new(BoundKernel::new(host_kernel::<H>(&init)?, rule, &init)?),
        on_host: outputs
            .iter()
            .map(|(name, _)| in_host_memory.contains(name))
            .collect(),
    }))
}

struct Staged {
    kernel: Arc<BoundKernel>,
    /// For each result, whether it is declared to be in host memory.
    on_host: Vec<bool>,
}

impl Kernel for Staged {
    fn compute(&self, ctx: &mut KernelContext<'_>) -> Result<()> {
        let machine = machine_of(ctx.device())?;
        let inputs = (0..ctx.num_inputs()).map(|i| Input::of(ctx.input(i), machine));
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        let count = self.on_host.len();
        let are_known = (0..count).all(|i| ctx.output_shape(i).is_ok());
        if machine.queue.is_deferred() && are_known && !self.on_host.contains(&true) {
            return self.run_later(ctx, machine, inputs);
        }
        machine.queue.flush();
        let results = run(&self.kernel, &*machine.processor, &inputs)?;
        for (i, result) in results.into_iter().enumerate() {
            let result = if self.on_host[i] {
                result
            } else {
                let out = ctx.device_temp(result.dtype(), result.shape().clone())?;
                TestMemory::of(&out)?
                    .cells
                    .write(result.as_bytes()?.to_vec());
                out
            };
            ctx.set_output(i, result);
        }
        Ok(())
    }
}

impl Staged {
    /// Queues the work. What can be known without the data, shapes and errors of shapes, the rule of the op has told.
    fn run_later(
        &self,
        ctx: &mut KernelContext<'_>,
        machine: &Machine,
        inputs: Vec<Input>,
    ) -> Result<()> {
        let mut cells = Vec::new();
        for i in 0..self.on_host.len() {
            let out = ctx.device_output(i)?;
            cells.push(TestMemory::of(&out)?.cells.clone());
            ctx.set_output(i, out);
        }
        let (kernel, processor) = (Arc::clone(&self.kernel), Arc::clone(&machine.processor));
        machine
            .queue
            .push(Box::new(move || match run(&kernel, &*processor, &inputs) {
                Ok(results) => {
                    for (cells, result) in cells.iter().zip(&results) {
                        cells.write(result.as_bytes()?.to_vec());
                    }
                    Ok(())
                }
                Err(e) => {
                    cells.iter().for_each(|cells| cells.fail(e.clone()));
                    Err(e)
                }
            }));
        Ok(())
    }
}

/// An input as queued work holds it: it must not keep the machine alive, which would then end in its own thread.
enum Input {
    Host(Tensor),
    Device {
        cells: Cells,
        dtype: DataType,
        shape: Shape,
        offset: usize,
    },
}

impl Input {
    fn of(tensor: &Tensor, machine: &Arc<Machine>) -> Result<Self> {
        if tensor.is_host() {
            return Ok(Self::Host(tensor.clone()));
        }
        let memory = TestMemory::of(tensor)?;
        ensure!(
            Arc::ptr_eq(&memory.machine, machine),
            Internal,
            "a kernel on {} was given memory of {}",
            machine.name,
            memory.machine.name
        );
        Ok(Self::Device {
            cells: memory.cells.clone(),
            dtype: tensor.dtype(),
            shape: tensor.shape().clone(),
            offset: tensor.offset(),
        })
    }

    /// The data in host memory.
    fn stage(&self) -> Result<Tensor> {
        match self {
            Self::Host(tensor) => Ok(tensor.clone()),
            Self::Device {
                cells,
                dtype,
                shape,
                offset,
            } => to_tensor(*dtype, shape, *offset, &cells.read()?),
        }
    }
}

fn run(kernel: &BoundKernel, processor: &dyn Device, inputs: &[Input]) -> Result<Vec<Tensor>> {
    let staged = inputs
        .iter()
        .map(Input::stage)
        .collect::<Result<Vec<_>>>()?;
    kernel.outputs_of(staged, &Run::on(processor))
}

/// The machine of the device that a kernel runs on.
fn machine_of(device: &dyn Device) -> Result<&Arc<Machine>> {
    let device = device.as_any().downcast_ref::<TestDevice>();
    let device = device.ok_or_else(|| err!(Internal, "this is the kernel of a test device"))?;
    Ok(&device.machine)
}
