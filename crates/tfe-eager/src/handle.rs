//! `TensorHandle`: a tensor on a device.

use std::fmt;
use std::sync::{Arc, LazyLock};

use ndarray::{ArrayD, ArrayView, Dimension, IxDyn};
use tfe_core::{DataType, Element, Result, Shape, Tensor, err};
use tfe_device::{Device, DeviceName};

use crate::Context;

/// A tensor, in host memory or on a device. A clone shares the tensor.
///
/// A handle needs no context and outlives the one that it came from.
#[derive(Clone)]
pub struct TensorHandle {
    tensor: Tensor,
    /// `None` is host memory of `CPU:0`, so that the common handle touches no shared count.
    device: Option<Arc<dyn Device>>,
}

static CPU_0: LazyLock<DeviceName> = LazyLock::new(|| DeviceName::local("CPU", 0));

impl TensorHandle {
    /// A handle to a tensor in host memory.
    pub fn new(tensor: Tensor) -> Self {
        Self {
            tensor,
            device: None,
        }
    }

    /// A handle to a tensor of `device`; `None` is host memory of `CPU:0`.
    pub(crate) fn on(tensor: Tensor, device: Option<Arc<dyn Device>>) -> Self {
        Self { tensor, device }
    }

    /// A tensor with a copy of `values`, row-major.
    ///
    /// # Errors
    /// `InvalidArgument` when `dims` is no shape of that many elements.
    pub fn from_slice<T: Element>(dims: &[i64], values: &[T]) -> Result<Self> {
        Tensor::from_slice(dims, values).map(Self::new)
    }

    /// A scalar.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is no memory.
    pub fn scalar<T: Element>(value: T) -> Result<Self> {
        Tensor::scalar(value).map(Self::new)
    }

    /// A tensor with a copy of an array, whatever its memory layout.
    ///
    /// # Errors
    /// `InvalidArgument` for more than 254 dimensions, `ResourceExhausted` when there is no memory.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a view is passed as slices are"
    )]
    pub fn from_array<T: Element, D: Dimension>(array: ArrayView<'_, T, D>) -> Result<Self> {
        let dims: Vec<i64> = array.shape().iter().map(|&d| d as i64).collect();
        let uninit = Tensor::uninit(T::DTYPE, Shape::new(&dims)?)?;
        Ok(Self::new(uninit.fill_from(array.iter().cloned())?))
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DataType {
        self.tensor.dtype()
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        self.tensor.shape()
    }

    /// The dimensions.
    pub fn dims(&self) -> &[i64] {
        self.tensor.dims()
    }

    /// The tensor itself, perhaps in device memory.
    pub fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    pub(crate) fn into_tensor(self) -> Tensor {
        self.tensor
    }

    /// The device other than `CPU:0` that the tensor is on.
    pub(crate) fn device(&self) -> Option<&Arc<dyn Device>> {
        self.device.as_ref()
    }

    /// Whether the tensor lies in memory that host code cannot read.
    pub fn is_remote(&self) -> bool {
        !self.tensor.is_host()
    }

    /// Full name of the device that the tensor is on.
    pub fn device_name(&self) -> &DeviceName {
        self.device.as_ref().map_or(&CPU_0, |d| d.name())
    }

    /// Full name of the device whose memory holds the tensor: the first CPU for what another device keeps in host memory.
    pub fn backing_device_name(&self) -> &DeviceName {
        let holds = |d: &&Arc<dyn Device>| d.is_host() || self.is_remote();
        self.device
            .as_ref()
            .filter(holds)
            .map_or(&CPU_0, |d| d.name())
    }

    /// The tensor in host memory: shared when it lies there, a copy otherwise.
    ///
    /// # Errors
    /// What the device reports; `ResourceExhausted` when there is no memory.
    pub fn to_tensor(&self) -> Result<Tensor> {
        match &self.device {
            Some(device) if self.is_remote() => device.copy_to_host(&self.tensor),
            _ => Ok(self.tensor.clone()),
        }
    }

    /// The elements, row-major.
    ///
    /// # Errors
    /// `InvalidArgument` for another type than the tensor's, and as [`to_tensor`](Self::to_tensor).
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        Ok(self.to_tensor()?.as_slice::<T>()?.to_vec())
    }

    /// The only element.
    ///
    /// # Errors
    /// `InvalidArgument` when there is not exactly one, and as [`to_vec`](Self::to_vec).
    pub fn to_scalar<T: Element>(&self) -> Result<T> {
        self.to_tensor()?.scalar_value()
    }

    /// The elements as an array of the same shape.
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec).
    pub fn to_array<T: Element>(&self) -> Result<ArrayD<T>> {
        let dims: Vec<usize> = (0..self.shape().rank())
            .map(|i| self.shape().dim(i))
            .collect();
        ArrayD::from_shape_vec(IxDyn(&dims), self.to_vec()?)
            .map_err(|e| err!(Internal, "no array of shape {}: {e}", self.shape()))
    }

    /// The tensor on another device of `ctx`, in any spelling of its name; shared when it is there already.
    ///
    /// # Errors
    /// `InvalidArgument` for a device that `ctx` does not have, and what the devices report.
    pub fn copy_to(&self, ctx: &Context, device: &str) -> Result<Self> {
        self.copy_to_device(ctx.find_device(device)?)
    }

    /// The tensor on the same device, with memory of its own.
    ///
    /// # Errors
    /// `ResourceExhausted` when there is no memory, and what the device reports.
    pub fn deep_copy(&self) -> Result<Self> {
        let tensor = match &self.device {
            Some(device) if self.is_remote() => device.copy_from_peer(&self.tensor, &**device)?,
            _ => self.tensor.deep_copy()?,
        };
        Ok(Self {
            tensor,
            device: self.device.clone(),
        })
    }

    pub(crate) fn copy_to_device(&self, to: &Arc<dyn Device>) -> Result<Self> {
        let named = || (to.name() != &*CPU_0).then(|| Arc::clone(to));
        let tensor = match (&self.device, to.is_host()) {
            (Some(from), false) if self.is_remote() => {
                if Arc::ptr_eq(from, to) {
                    self.tensor.clone()
                } else if from.name().device_type() == to.name().device_type() {
                    to.copy_from_peer(&self.tensor, &**from)?
                } else {
                    to.copy_from_host(&from.copy_to_host(&self.tensor)?)?
                }
            }
            (_, true) => self.to_tensor()?,
            (_, false) => to.copy_from_host(&self.tensor)?,
        };
        Ok(Self {
            tensor,
            device: named(),
        })
    }
}

impl fmt::Debug for TensorHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} on {}", self.tensor, self.device_name())
    }
}

impl From<Tensor> for TensorHandle {
    fn from(tensor: Tensor) -> Self {
        Self::new(tensor)
    }
}
