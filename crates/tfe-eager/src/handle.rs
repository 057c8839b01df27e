//! `TensorHandle`: a tensor on a device, perhaps one that is still to come.

use std::fmt;
use std::sync::{Arc, LazyLock};

use ndarray::{ArrayD, ArrayView, Dimension, IxDyn};
use tfe_core::{DataType, Element, Error, Result, Shape, Tensor, bail, ensure, err};
use tfe_device::{Device, DeviceName};

use crate::custom_device::CustomValue;
use crate::pending::Pending;
use crate::{Context, CustomPlace, CustomTensor};

/// A tensor, in host memory or on a device. A clone shares the tensor.
///
/// A handle needs no context and outlives the one that it came from.
///
/// The value may be [pending](Self::pending): what asks for it waits then, and gives the error that came in its place, if
/// one did.
///
/// ```
/// use tfe_eager::{Code, DataType, TensorHandle, ndarray};
///
/// let handle = TensorHandle::from_slice(&[2, 3], &[1i64, 2, 3, 4, 5, 6])?;
/// assert_eq!((handle.dtype(), handle.dims()?), (DataType::Int64, &[2, 3][..]));
/// assert_eq!(handle.to_array::<i64>()?[[1, 0]], 4);
/// assert_eq!(handle.to_vec::<f32>().expect_err("another type").code(), Code::InvalidArgument);
///
/// let transposed = ndarray::arr2(&[[1.0f32, 2.0], [3.0, 4.0]]).reversed_axes();
/// let handle = TensorHandle::from_array(transposed.view())?;
/// assert_eq!(handle.to_vec::<f32>()?, [1.0, 3.0, 2.0, 4.0]);
/// # Ok::<(), tfe_eager::Error>(())
/// ```
pub struct TensorHandle(State);

enum State {
    Ready {
        tensor: Tensor,
        /// `None` is host memory of `CPU:0`, so that the common handle touches no shared count.
        device: Option<Arc<dyn Device>>,
    },
    /// One variant for all that is no tensor yet, so that the common handle is told from them by one comparison, and behind
    /// one word, so that it is none the bigger for them.
    Rare(Rare),
}

enum Rare {
    Pending(Arc<Pending>),
    Custom(Arc<CustomValue>),
}

static CPU_0: LazyLock<DeviceName> = LazyLock::new(|| DeviceName::local("CPU", 0));

impl TensorHandle {
    /// A handle to a tensor in host memory.
    pub fn new(tensor: Tensor) -> Self {
        Self::on(tensor, None)
    }

    /// A handle to a tensor of `device`; `None` is host memory of `CPU:0`.
    pub(crate) fn on(tensor: Tensor, device: Option<Arc<dyn Device>>) -> Self {
        Self(State::Ready { tensor, device })
    }

    pub(crate) fn not_yet(pending: Arc<Pending>) -> Self {
        Self(State::Rare(Rare::Pending(pending)))
    }

    pub(crate) fn on_custom_device(value: CustomValue) -> Self {
        Self(State::Rare(Rare::Custom(Arc::new(value))))
    }

    /// The custom device that the value is on, if it is on one.
    #[inline]
    pub fn custom_place(&self) -> Option<&CustomPlace> {
        match &self.0 {
            State::Rare(Rare::Custom(value)) => Some(&value.place),
            _ => None,
        }
    }

    /// The value as its custom device has it, if it is on one.
    pub fn custom_tensor(&self) -> Option<&dyn CustomTensor> {
        match &self.0 {
            State::Rare(Rare::Custom(value)) => Some(&*value.tensor),
            _ => None,
        }
    }

    /// One handle to several values, which the custom device makes that the first of those is on which are on any.
    ///
    /// # Errors
    /// `InvalidArgument` for no handles, `Unimplemented` when none is on a custom device or the device does not pack, and
    /// what the device says.
    pub fn pack(handles: &[Self]) -> Result<Self> {
        ensure!(
            !handles.is_empty(),
            InvalidArgument,
            "Handles should not be empty."
        );
        let Some(place) = handles.iter().find_map(Self::custom_place) else {
            bail!(
                Unimplemented,
                "only values on custom devices can be packed, and these are on none"
            );
        };
        place.device()?.pack(place, handles)
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

    /// The type of the elements. Never waits.
    #[inline]
    pub fn dtype(&self) -> DataType {
        match &self.0 {
            State::Ready { tensor, .. } => tensor.dtype(),
            State::Rare(Rare::Pending(pending)) => pending.dtype,
            State::Rare(Rare::Custom(value)) => value.dtype,
        }
    }

    /// The shape. Waits only where it is not known beforehand.
    ///
    /// # Errors
    /// The one that came in place of the value.
    pub fn shape(&self) -> Result<&Shape> {
        match &self.0 {
            State::Ready { tensor, .. } => Ok(tensor.shape()),
            State::Rare(Rare::Pending(pending)) => pending.shape(),
            State::Rare(Rare::Custom(value)) => value.shape(),
        }
    }

    /// The dimensions. Waits as [`shape`](Self::shape) does.
    ///
    /// # Errors
    /// As there.
    pub fn dims(&self) -> Result<&[i64]> {
        Ok(self.shape()?.dims())
    }

    /// The tensor itself, perhaps in device memory.
    ///
    /// # Errors
    /// The one that came in place of the value; `InvalidArgument` for a value on a custom device, which is no tensor.
    #[inline]
    pub fn tensor(&self) -> Result<&Tensor> {
        match &self.0 {
            State::Ready { tensor, .. } => Ok(tensor),
            State::Rare(Rare::Pending(pending)) => pending.wait(),
            State::Rare(Rare::Custom(value)) => Err(value.no_tensor()),
        }
    }

    /// The tensor, unless it may have to be waited for, or is none.
    #[inline]
    pub(crate) fn ready_tensor(&self) -> Option<&Tensor> {
        match &self.0 {
            State::Ready { tensor, .. } => Some(tensor),
            State::Rare(_) => None,
        }
    }

    /// The device other than `CPU:0` that the tensor is on.
    #[inline]
    pub(crate) fn device(&self) -> Option<&Arc<dyn Device>> {
        match &self.0 {
            State::Ready { device, .. } => device.as_ref(),
            State::Rare(Rare::Pending(pending)) => pending.device.as_ref(),
            State::Rare(Rare::Custom(_)) => None,
        }
    }

    /// Whether the value is there, or an error in its place; never waits.
    pub fn is_done(&self) -> bool {
        match &self.0 {
            State::Ready { .. } | State::Rare(Rare::Custom(_)) => true,
            State::Rare(Rare::Pending(pending)) => pending.now().is_some(),
        }
    }

    /// The error that came in place of the value, if it has come; never waits.
    pub fn error(&self) -> Option<Error> {
        match &self.0 {
            State::Ready { .. } | State::Rare(Rare::Custom(_)) => None,
            State::Rare(Rare::Pending(pending)) => pending.now()?.err(),
        }
    }

    /// Whether the tensor lies in memory that host code cannot read.
    ///
    /// # Errors
    /// The one that came in place of the value.
    pub fn is_remote(&self) -> Result<bool> {
        match &self.0 {
            State::Rare(Rare::Custom(_)) => Ok(true),
            _ => Ok(!self.tensor()?.is_host()),
        }
    }

    /// Full name of the device that the tensor is on. Never waits.
    pub fn device_name(&self) -> &DeviceName {
        match &self.0 {
            State::Rare(Rare::Custom(value)) => value.place.name(),
            _ => self.device().map_or(&CPU_0, |d| d.name()),
        }
    }

    /// Full name of the device whose memory holds the tensor: the first CPU for what another device keeps in host memory.
    ///
    /// # Errors
    /// The one that came in place of the value.
    pub fn backing_device_name(&self) -> Result<&DeviceName> {
        if let State::Rare(Rare::Custom(value)) = &self.0 {
            return Ok(value.place.name());
        }
        let is_remote = self.is_remote()?;
        let holding = self.device().filter(|d| d.is_host() || is_remote);
        Ok(holding.map_or(&CPU_0, |d| d.name()))
    }

    /// The tensor in host memory: shared when it lies there, a copy otherwise.
    ///
    /// # Errors
    /// The one that came in place of the value, what the device reports, `ResourceExhausted` when there is no memory.
    pub fn to_tensor(&self) -> Result<Tensor> {
        if let State::Rare(Rare::Custom(value)) = &self.0 {
            return value.place.copy_off(self, CPU_0.as_str())?.to_tensor();
        }
        let tensor = self.tensor()?;
        match self.device() {
            Some(device) if !tensor.is_host() => device.copy_to_host(tensor),
            _ => Ok(tensor.clone()),
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
        let shape = self.shape()?;
        let dims: Vec<usize> = (0..shape.rank()).map(|i| shape.dim(i)).collect();
        ArrayD::from_shape_vec(IxDyn(&dims), self.to_vec()?)
            .map_err(|e| err!(Internal, "no array of shape {shape}: {e}"))
    }

    /// The tensor on another device of `ctx`, in any spelling of its name; shared when it is there already, but for a custom
    /// device, which is asked for a copy in any case.
    ///
    /// # Errors
    /// `InvalidArgument` for a device that `ctx` does not have, the error that came in place of the value, and what the
    /// devices report.
    pub fn copy_to(&self, ctx: &Context, device: &str) -> Result<Self> {
        let to = ctx.find_device(device);
        if to.is_err()
            && let Some(place) = ctx.find_custom_device(device)
        {
            return place.device()?.copy_to_device(&place, self);
        }
        match &self.0 {
            State::Rare(Rare::Custom(value)) => value.place.copy_off(self, device),
            _ => self.copy_to_device(to?),
        }
    }

    /// The tensor on the same device, with memory of its own.
    ///
    /// # Errors
    /// As [`to_tensor`](Self::to_tensor).
    pub fn deep_copy(&self) -> Result<Self> {
        let (tensor, device) = (self.tensor()?, self.device());
        let copy = match device {
            Some(device) if !tensor.is_host() => device.copy_from_peer(tensor, &**device)?,
            _ => tensor.deep_copy()?,
        };
        Ok(Self::on(copy, device.cloned()))
    }

    pub(crate) fn copy_to_device(&self, to: &Arc<dyn Device>) -> Result<Self> {
        let tensor = self.tensor()?;
        let copy = match (self.device(), to.is_host()) {
            (Some(from), false) if !tensor.is_host() => {
                if Arc::ptr_eq(from, to) {
                    tensor.clone()
                } else if from.name().device_type() == to.name().device_type() {
                    to.copy_from_peer(tensor, &**from)?
                } else {
                    to.copy_from_host(&from.copy_to_host(tensor)?)?
                }
            }
            (_, true) => self.to_tensor()?,
            (_, false) => to.copy_from_host(tensor)?,
        };
        let named = (to.name() != &*CPU_0).then(|| Arc::clone(to));
        Ok(Self::on(copy, named))
    }
}

impl Clone for TensorHandle {
    #[inline]
    fn clone(&self) -> Self {
        match &self.0 {
            State::Ready { tensor, device } => Self::on(tensor.clone(), device.clone()),
            State::Rare(Rare::Pending(pending)) => match pending.now() {
                // From here on it is a handle as any.
                Some(Ok(tensor)) => Self::on(tensor.clone(), pending.device.clone()),
                _ => Self::not_yet(Arc::clone(pending)),
            },
            State::Rare(Rare::Custom(value)) => Self(State::Rare(Rare::Custom(Arc::clone(value)))),
        }
    }
}

impl fmt::Debug for TensorHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pending = match &self.0 {
            State::Ready { tensor, .. } => Some(Ok(tensor)),
            State::Rare(Rare::Pending(pending)) => pending.now(),
            State::Rare(Rare::Custom(value)) => return value.fmt(f),
        };
        match pending {
            Some(Ok(tensor)) => write!(f, "{tensor:?}")?,
            Some(Err(error)) => write!(f, "Tensor({}: {error})", self.dtype())?,
            None => write!(f, "Tensor({}, pending)", self.dtype())?,
        }
        write!(f, " on {}", self.device_name())
    }
}

impl From<Tensor> for TensorHandle {
    fn from(tensor: Tensor) -> Self {
        Self::new(tensor)
    }
}
