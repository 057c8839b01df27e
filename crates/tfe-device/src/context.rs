//! `KernelContext`: the inputs and outputs of one run of a kernel, and what surrounds it.

use smallvec::SmallVec;
use tfe_core::{DataType, Error, Result, Shape, Tensor, TensorUninit, err};

use crate::{Device, FunctionLibrary, ResourceManager};

/// One run of a kernel.
///
/// Inputs are flat: a list argument is as many inputs as it has elements.
pub struct KernelContext<'a> {
    inputs: &'a mut [Option<Tensor>],
    outputs: Outputs<'a>,
    device: &'a dyn Device,
    functions: &'a dyn FunctionLibrary,
}

/// Where the results go.
enum Outputs<'a> {
    Own(SmallVec<[Option<Tensor>; 2]>),
    Lent(&'a mut [Option<Tensor>]),
}

impl Outputs<'_> {
    #[inline]
    fn slots(&mut self) -> &mut [Option<Tensor>] {
        match self {
            Self::Own(slots) => slots,
            Self::Lent(slots) => slots,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Own(slots) => slots.len(),
            Self::Lent(slots) => slots.len(),
        }
    }
}

fn unset(i: usize) -> Error {
    err!(Internal, "the kernel did not set output {i}")
}

impl<'a> KernelContext<'a> {
    /// A run on `device` with these inputs, all of them present.
    pub fn new(
        inputs: &'a mut [Option<Tensor>],
        num_outputs: usize,
        device: &'a dyn Device,
        functions: &'a dyn FunctionLibrary,
    ) -> Self {
        let mut outputs = SmallVec::new();
        outputs.resize_with(num_outputs, || None);
        Self {
            inputs,
            outputs: Outputs::Own(outputs),
            device,
            functions,
        }
    }

    /// [`new`](Self::new) with a place of the caller's for the results, all empty: nothing is moved afterwards. To be
    /// ended by [`finish`](Self::finish).
    #[inline]
    pub fn with_outputs(
        inputs: &'a mut [Option<Tensor>],
        outputs: &'a mut [Option<Tensor>],
        device: &'a dyn Device,
        functions: &'a dyn FunctionLibrary,
    ) -> Self {
        Self {
            inputs,
            outputs: Outputs::Lent(outputs),
            device,
            functions,
        }
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

    /// Inputs `start..end`: the elements of a list argument.
    pub fn input_range(
        &self,
        range: std::ops::Range<usize>,
    ) -> impl ExactSizeIterator<Item = &Tensor> + Clone {
        self.inputs[range]
            .iter()
            .map(|t| t.as_ref().expect("an input that was not taken"))
    }

    /// Takes input `i` out of the context, so that its memory may be reused if nobody else holds it.
    ///
    /// # Panics
    /// As [`input`](Self::input).
    #[inline]
    pub fn take_input(&mut self, i: usize) -> Tensor {
        self.inputs[i].take().expect("an input that was not taken")
    }

    /// Takes the first of the inputs `candidates` whose memory can be written over by a result of that type and shape.
    pub fn forward_input(
        &mut self,
        candidates: &[usize],
        dtype: DataType,
        shape: &Shape,
    ) -> Option<(usize, Tensor)> {
        candidates.iter().find_map(|&i| {
            let fits = |t: &Tensor| t.dtype() == dtype && t.shape() == shape && t.is_forwardable();
            let slot = self.inputs.get_mut(i)?;
            if slot.as_ref().is_some_and(fits) {
                slot.take().map(|t| (i, t))
            } else {
                None
            }
        })
    }

    /// Host memory for a result.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is none.
    #[inline]
    pub fn allocate(&self, dtype: DataType, shape: Shape) -> Result<TensorUninit> {
        match Tensor::uninit_in(self.device.host_allocator(), dtype, shape) {
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
            self.device.name()
        )
    }

    /// Memory of the device for a result; to be written by the device.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is none.
    pub fn allocate_on_device(&self, dtype: DataType, shape: Shape) -> Result<Tensor> {
        let bytes = shape
            .num_elements()
            .checked_mul(dtype.size())
            .ok_or_else(|| {
                err!(
                    ResourceExhausted,
                    "OOM when allocating tensor with shape{shape} and type {dtype} on {}",
                    self.device.name()
                )
            })?;
        Tensor::on_device(dtype, shape, self.device.allocate(bytes)?)
    }

    /// Sets result `i`.
    ///
    /// # Panics
    /// When there is no such output: a fault of the kernel, whose signature was checked.
    #[inline]
    pub fn set_output(&mut self, i: usize, tensor: Tensor) {
        self.outputs.slots()[i] = Some(tensor);
    }

    /// The number of results.
    pub fn num_outputs(&self) -> usize {
        self.outputs.len()
    }

    /// The results, once the kernel is done.
    ///
    /// # Errors
    /// `Internal` when the kernel left one unset.
    pub fn into_outputs(mut self) -> Result<SmallVec<[Tensor; 2]>> {
        let slots = self.outputs.slots().iter_mut().enumerate();
        slots
            .map(|(i, slot)| slot.take().ok_or_else(|| unset(i)))
            .collect()
    }

    /// Checks that the kernel set all results, which are where the caller wanted them.
    ///
    /// # Errors
    /// `Internal` when the kernel left one unset.
    #[inline]
    pub fn finish(mut self) -> Result<()> {
        match self.outputs.slots().iter().position(Option::is_none) {
            None => Ok(()),
            Some(i) => Err(unset(i)),
        }
    }

    /// Where the kernel runs.
    pub fn device(&self) -> &'a dyn Device {
        self.device
    }

    /// The device's resources.
    pub fn resources(&self) -> &'a ResourceManager {
        self.device.resources()
    }

    /// Functions that the kernel may call.
    pub fn functions(&self) -> &'a dyn FunctionLibrary {
        self.functions
    }
}
