//! `KernelContext`: the inputs and outputs of one run of a kernel, and what surrounds it.

use std::ops::Range;

use tfe_core::{DataType, Error, Result, Shape, Tensor, TensorUninit, err};

use crate::{Arg, Cancellation, Device, FunctionLibrary, OutputShape, ResourceManager, Run};

/// One run of a kernel.
///
/// Inputs are flat: a list argument is as many inputs as it has elements. The shapes of the outputs are known before the
/// kernel runs, from the rule of its op: the kernel asks for the memory of an output by its number.
pub struct KernelContext<'a> {
    inputs: &'a mut [Option<Tensor>],
    outputs: &'a mut [Option<Tensor>],
    /// What the rule said of each output; nothing where no rule was asked.
    shapes: &'a [OutputShape],
    args: &'a [Arg],
    run: &'a Run<'a>,
}

impl<'a> KernelContext<'a> {
    #[inline]
    pub(crate) fn new(
        inputs: &'a mut [Option<Tensor>],
        outputs: &'a mut [Option<Tensor>],
        shapes: &'a [OutputShape],
        args: &'a [Arg],
        run: &'a Run<'a>,
    ) -> Self {
        Self {
            inputs,
            outputs,
            shapes,
            args,
            run,
        }
    }

    /// A run of a kernel of which no rule says what it gives: a function. To be ended by [`finish`](Self::finish).
    pub fn without_rule(
        inputs: &'a mut [Option<Tensor>],
        outputs: &'a mut [Option<Tensor>],
        args: &'a [Arg],
        run: &'a Run<'a>,
    ) -> Self {
        Self::new(inputs, outputs, &[], args, run)
    }

    /// The number of inputs.
    #[inline]
    pub fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Input `i`.
    ///
    /// # Panics
    /// When there is no such input, or it was taken: a fault of the kernel, whose signature was checked.
    #[inline]
    pub fn input(&self, i: usize) -> &Tensor {
        self.inputs[i]
            .as_ref()
            .expect("an input that was not taken")
    }

    /// The inputs of that range: the elements of a list argument.
    pub fn input_range(
        &self,
        range: Range<usize>,
    ) -> impl ExactSizeIterator<Item = &Tensor> + Clone {
        self.inputs[range]
            .iter()
            .map(|t| t.as_ref().expect("an input that was not taken"))
    }

    /// The first element of integer input `i`: a size, an axis.
    ///
    /// # Errors
    /// `Unimplemented` for a type that indexes nothing; `InvalidArgument` when there is no element.
    pub fn integer(&self, i: usize) -> Result<i64> {
        crate::integer(self.input(i))
    }

    /// Takes input `i` out of the context, so that its memory may be reused if nobody else holds it.
    ///
    /// # Panics
    /// As [`input`](Self::input).
    #[inline]
    pub fn take_input(&mut self, i: usize) -> Tensor {
        self.inputs[i].take().expect("an input that was not taken")
    }

    /// The shape of output `i`, as the rule of the op said it.
    ///
    /// # Errors
    /// `Internal` when it is not known before the op runs: a fault of the kernel.
    #[inline]
    pub fn output_shape(&self, i: usize) -> Result<&Shape> {
        match self.shapes.get(i) {
            Some(OutputShape::Known(shape)) => Ok(shape),
            _ => Err(unknown(i)),
        }
    }

    /// What the rule of the op said of output `i`.
    pub fn output_facts(&self, i: usize) -> &OutputShape {
        static UNKNOWN: OutputShape = OutputShape::UNKNOWN;
        self.shapes.get(i).unwrap_or(&UNKNOWN)
    }

    /// The type of output `i`.
    #[inline]
    pub fn output_dtype(&self, i: usize) -> DataType {
        self.args[i].dtype
    }

    /// Host memory for output `i`, whose type and shape are known. To be given back by [`set_output`](Self::set_output).
    ///
    /// # Errors
    /// `ResourceExhausted` when there is none; as [`output_shape`](Self::output_shape).
    #[inline]
    pub fn output(&self, i: usize) -> Result<TensorUninit> {
        self.allocate(self.args[i].dtype, self.output_shape(i)?.clone())
    }

    /// Host memory for output `i`, whose shape only the kernel knows.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is none; `Internal` when the rule of the op said something else.
    pub fn output_of(&self, i: usize, shape: Shape) -> Result<TensorUninit> {
        self.check_shape(i, &shape)?;
        self.allocate(self.args[i].dtype, shape)
    }

    /// Memory of the device for output `i`, to be written by the device.
    ///
    /// # Errors
    /// As [`output`](Self::output).
    pub fn device_output(&self, i: usize) -> Result<Tensor> {
        self.device_temp(self.args[i].dtype, self.output_shape(i)?.clone())
    }

    /// The first of the inputs `candidates` whose memory output `i` can be written over, with its place.
    pub fn forward(&mut self, i: usize, candidates: &[usize]) -> Option<(usize, Tensor)> {
        let dtype = self.args[i].dtype;
        let shape = self.shapes.get(i)?.known()?;
        let found = candidates.iter().find(|&&k| {
            self.inputs
                .get(k)
                .and_then(Option::as_ref)
                .is_some_and(|t| t.dtype() == dtype && t.shape() == shape && t.is_forwardable())
        });
        let &k = found?;
        self.inputs[k].take().map(|t| (k, t))
    }

    /// Host memory that the kernel works with.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is none.
    #[inline]
    pub fn allocate(&self, dtype: DataType, shape: Shape) -> Result<TensorUninit> {
        match Tensor::uninit_in(self.run.device.host_allocator(), dtype, shape) {
            Ok(out) => Ok(out),
            Err(e) => Err(self.no_memory(&e)),
        }
    }

    /// The error of an allocation: the place belongs to the sentence that clients know.
    #[cold]
    fn no_memory(&self, e: &Error) -> Error {
        err!(
            ResourceExhausted,
            "{} on {} by allocator cpu",
            e.message(),
            self.device().name()
        )
    }

    /// Memory of the device that the kernel works with.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is none.
    pub fn device_temp(&self, dtype: DataType, shape: Shape) -> Result<Tensor> {
        let bytes = shape
            .num_elements()
            .checked_mul(dtype.size())
            .ok_or_else(|| {
                err!(
                    ResourceExhausted,
                    "OOM when allocating tensor with shape{shape} and type {dtype} on {}",
                    self.device().name()
                )
            })?;
        Tensor::on_device(dtype, shape, self.device().allocate(bytes)?)
    }

    /// Sets output `i`.
    ///
    /// # Panics
    /// When there is no such output: a fault of the kernel, whose signature was checked.
    #[inline]
    pub fn set_output(&mut self, i: usize, tensor: Tensor) {
        self.outputs[i] = Some(tensor);
    }

    /// The number of outputs.
    pub fn num_outputs(&self) -> usize {
        self.outputs.len()
    }

    /// Checks that the kernel set all outputs, with the types, the shapes and in the memory that were said.
    ///
    /// # Errors
    /// `Internal` when it did not.
    #[inline]
    pub fn finish(&self) -> Result<()> {
        for (i, (output, arg)) in self.outputs.iter().zip(self.args).enumerate() {
            let Some(output) = output else {
                return Err(err!(Internal, "the kernel did not set output {i}"));
            };
            let is_allowed = self
                .shapes
                .get(i)
                .is_none_or(|said| said.allows(output.shape()));
            if !is_allowed || output.dtype() != arg.dtype || output.is_host() != is_host(*arg) {
                return Err(self.other(i, output));
            }
        }
        Ok(())
    }

    fn check_shape(&self, i: usize, shape: &Shape) -> Result<()> {
        if self.output_facts(i).allows(shape) {
            return Ok(());
        }
        Err(err!(
            Internal,
            "the kernel gives shape {shape} as output {i}, but the rule of the op says {:?}",
            self.output_facts(i)
        ))
    }

    #[cold]
    fn other(&self, i: usize, output: &Tensor) -> Error {
        let (said, given) = (is_host(self.args[i]), output.is_host());
        let place = |is_host| if is_host { "host" } else { "device" };
        err!(
            Internal,
            "the kernel set output {i} to {}{} in {} memory, but {} in {} memory was declared, and {:?} is its shape",
            output.dtype(),
            output.shape(),
            place(given),
            self.args[i].dtype,
            place(said),
            self.output_facts(i)
        )
    }

    /// What surrounds the run, to be handed on to kernels that this one runs.
    #[inline]
    pub fn run(&self) -> &'a Run<'a> {
        self.run
    }

    /// Where the kernel runs.
    #[inline]
    pub fn device(&self) -> &'a dyn Device {
        self.run.device
    }

    /// The device's resources.
    pub fn resources(&self) -> &'a ResourceManager {
        self.run.device.resources()
    }

    /// Functions that the kernel may call.
    pub fn functions(&self) -> &'a dyn FunctionLibrary {
        self.run.functions
    }

    /// What ends the run early.
    pub fn cancellation(&self) -> Option<&'a Cancellation> {
        self.run.cancellation
    }
}

/// Whether an output is in memory that host code can read. Strings, resources and variants are wherever they are declared.
#[inline]
fn is_host(arg: Arg) -> bool {
    arg.in_host_memory || !arg.dtype.is_plain()
}

#[cold]
fn unknown(i: usize) -> Error {
    err!(
        Internal,
        "the kernel asks for output {i}, whose shape is not known before it runs"
    )
}
