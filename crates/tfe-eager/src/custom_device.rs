//! Custom devices: devices that a program makes of its own code, and that are handed whole ops.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use tfe_core::fork::RwLock;
use tfe_core::{DataType, Error, Result, Shape, bail, ensure, err};
use tfe_device::{DeviceName, DeviceSpec};

use crate::execute::log_placement;
use crate::shared::Shared;
use crate::{Op, Outputs, TensorHandle};

/// A device that is handed whole ops instead of having kernels: to log them, to spread them over several devices, to run
/// them elsewhere. A context has it by [`Context::register_custom_device`](crate::Context::register_custom_device).
///
/// An op is handed over as it was made, before its attributes are looked at, when it names the device, or when an input
/// is on it and the device [wants it](Self::shall_pin). Inputs may lie elsewhere, and are copied by the device as it likes.
/// Calls come from any thread, several at a time; the errors are those of the call.
///
/// ```
/// use std::sync::Arc;
/// use tfe_eager::*;
///
/// /// A value of this device: one of the CPU.
/// struct Wrapped(TensorHandle);
///
/// impl CustomTensor for Wrapped {
///     fn rank(&self) -> Result<Option<usize>> {
///         self.0.dims().map(|dims| Some(dims.len()))
///     }
///     fn dim(&self, i: usize) -> Result<i64> {
///         self.0.dims().map(|dims| dims[i])
///     }
/// }
///
/// struct Wrapper;
///
/// fn inner(handle: &TensorHandle) -> TensorHandle {
///     handle.custom_value::<Wrapped>().map_or(handle, |w| &w.0).clone()
/// }
///
/// impl CustomDevice for Wrapper {
///     fn copy_to_device(&self, place: &CustomPlace, value: &TensorHandle) -> Result<TensorHandle> {
///         Ok(place.handle(value.dtype(), Box::new(Wrapped(inner(value)))))
///     }
///     fn copy_from_device(&self, _: &CustomPlace, value: &TensorHandle, _: &str) -> Result<TensorHandle> {
///         Ok(inner(value))
///     }
///     fn execute(&self, place: &CustomPlace, op: &Op, _room: usize) -> Result<Outputs> {
///         let mut on_cpu = op.clone();
///         on_cpu.reset(op.name())?;
///         for i in 0..op.num_inputs() {
///             on_cpu.add_input(&inner(&op.nth_input(i).expect("an input")))?;
///         }
///         for (name, value) in op.attrs().set_values() {
///             on_cpu.set_attr(name, value.clone());
///         }
///         let wrap = |h: TensorHandle| place.handle(h.dtype(), Box::new(Wrapped(h)));
///         Ok(on_cpu.execute()?.into_iter().map(wrap).collect())
///     }
/// }
///
/// let ctx = Context::new()?;
/// ctx.register_custom_device("/job:localhost/replica:0/task:0/device:WRAP:0", Arc::new(Wrapper))?;
/// let one = TensorHandle::scalar(1.0f32)?.copy_to(&ctx, "WRAP:0")?;
/// let two = ctx.op("AddV2")?.input(&one)?.input(&one)?.run1()?;
/// assert_eq!(two.device_name().device_type(), "WRAP");
/// assert_eq!(two.to_scalar::<f32>()?, 2.0);
/// # Ok::<(), tfe_eager::Error>(())
/// ```
pub trait CustomDevice: Send + Sync {
    /// A handle on this device to a value of any device, this one included.
    ///
    /// # Errors
    /// As the device likes.
    fn copy_to_device(&self, place: &CustomPlace, value: &TensorHandle) -> Result<TensorHandle>;

    /// A handle on `target` to a value of this device. The name is as the program spelled it, which is empty for the first
    /// CPU, and may be that of no device.
    ///
    /// # Errors
    /// As the device likes.
    fn copy_from_device(
        &self,
        place: &CustomPlace,
        value: &TensorHandle,
        target: &str,
    ) -> Result<TensorHandle>;

    /// The results of an op, of which at most `room` are asked for. Its [`requested_device`](Op::requested_device) is the
    /// program's.
    ///
    /// # Errors
    /// As the device likes.
    fn execute(&self, place: &CustomPlace, op: &Op, room: usize) -> Result<Outputs>;

    /// Whether an op with an input on this device, and with none on another custom device, is to run here. Otherwise it runs
    /// on the device that was asked for, and inputs are copied there; by default that is so when one was asked for.
    fn shall_pin(&self, place: &CustomPlace, op: &Op) -> bool {
        let _ = place;
        op.requested_device().is_empty()
    }

    /// One handle to several values, at least one of them on this device.
    ///
    /// # Errors
    /// `Unimplemented` by default.
    fn pack(&self, place: &CustomPlace, handles: &[TensorHandle]) -> Result<TensorHandle> {
        let _ = (place, handles);
        bail!(
            Unimplemented,
            "This custom device does not support packing tensors."
        )
    }
}

/// A value on a custom device.
pub trait CustomTensor: Any + Send + Sync {
    /// The number of dimensions, if it is known.
    ///
    /// # Errors
    /// As the device likes.
    fn rank(&self) -> Result<Option<usize>>;

    /// The length of a dimension; -1 if it is not known.
    ///
    /// # Errors
    /// As the device likes.
    fn dim(&self, index: usize) -> Result<i64>;

    /// What there is to say of the value, besides its type and its device; `None` leaves it to its copy on the CPU.
    ///
    /// # Errors
    /// As the device likes.
    fn summary(&self) -> Result<Option<String>> {
        Ok(None)
    }
}

/// A custom device as a context knows it. A clone is the same.
#[derive(Clone)]
pub struct CustomPlace(Arc<Registered>);

struct Registered {
    name: DeviceName,
    /// Nothing once the context was closed: handles outlive it, and must not keep the device.
    device: Weak<dyn CustomDevice>,
}

impl CustomPlace {
    /// The full name.
    pub fn name(&self) -> &DeviceName {
        &self.0.name
    }

    /// A handle to a value of this device.
    pub fn handle(&self, dtype: DataType, tensor: Box<dyn CustomTensor>) -> TensorHandle {
        TensorHandle::on_custom_device(CustomValue {
            place: self.clone(),
            dtype,
            tensor,
            shape: OnceLock::new(),
        })
    }

    /// The device.
    ///
    /// # Errors
    /// `FailedPrecondition` when it went with its context.
    pub(crate) fn device(&self) -> Result<Arc<dyn CustomDevice>> {
        let device = self.0.device.upgrade();
        device.ok_or_else(|| {
            err!(
                FailedPrecondition,
                "the custom device {} is gone with its context",
                self.name()
            )
        })
    }

    pub(crate) fn execute(&self, op: &Op, room: usize) -> Result<Outputs> {
        if op.ctx.log_placement() {
            log_placement(op.name(), self.name());
        }
        self.device()?.execute(self, op, room)
    }

    /// The value of a handle of this device on another, which is no custom device.
    pub(crate) fn copy_off(&self, handle: &TensorHandle, target: &str) -> Result<TensorHandle> {
        let copy = self.device()?.copy_from_device(self, handle, target)?;
        ensure!(
            copy.custom_place().is_none(),
            Internal,
            "the custom device {} copied a value to '{target}', and it came to {}",
            self.name(),
            copy.device_name()
        );
        Ok(copy)
    }
}

impl PartialEq for CustomPlace {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for CustomPlace {}

impl fmt::Debug for CustomPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CustomPlace").field(self.name()).finish()
    }
}

/// What a handle to a value on a custom device leads to.
pub(crate) struct CustomValue {
    pub(crate) place: CustomPlace,
    pub(crate) dtype: DataType,
    pub(crate) tensor: Box<dyn CustomTensor>,
    /// Once it was asked for.
    shape: OnceLock<Shape>,
}

impl CustomValue {
    pub(crate) fn shape(&self) -> Result<&Shape> {
        if let Some(shape) = self.shape.get() {
            return Ok(shape);
        }
        let Some(rank) = self.tensor.rank()? else {
            bail!(
                InvalidArgument,
                "the rank of a value on {} is not known",
                self.place.name()
            );
        };
        // Asked for one by one: a rank that is wrong may be great.
        let mut dims = Vec::new();
        for i in 0..rank {
            dims.push(self.tensor.dim(i)?);
        }
        let shape = Shape::new(&dims)?;
        Ok(self.shape.get_or_init(|| shape))
    }

    pub(crate) fn no_tensor(&self) -> Error {
        err!(
            InvalidArgument,
            "a value on the custom device {} has no tensor: copy it to the CPU first",
            self.place.name()
        )
    }
}

impl fmt::Debug for CustomValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dtype = self.dtype;
        match self.tensor.summary() {
            Ok(Some(summary)) => write!(f, "Tensor({dtype}: {summary})")?,
            Ok(None) => write!(f, "Tensor({dtype})")?,
            Err(error) => write!(f, "Tensor({dtype}: {error})")?,
        }
        write!(f, " on {}", self.place.name())
    }
}

impl TensorHandle {
    /// The value as its custom device has it, if it is on one and of that type.
    pub fn custom_value<T: CustomTensor>(&self) -> Option<&T> {
        let tensor: &dyn Any = self.custom_tensor()?;
        tensor.downcast_ref()
    }
}

/// The custom devices of a context.
#[derive(Default)]
pub(crate) struct CustomDevices {
    entries: RwLock<Vec<Entry>>,
    /// Whether there ever was one: read without the lock by calls that name a device which is not there, as those do that
    /// run on the CPU instead.
    any: AtomicBool,
}

struct Entry {
    place: CustomPlace,
    /// What the place leads to, kept for it.
    _device: Arc<dyn CustomDevice>,
}

impl CustomDevices {
    /// Whether there may be some.
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// The first of those meant.
    pub(crate) fn find(&self, spec: &DeviceSpec) -> Option<CustomPlace> {
        let entries = self.entries.read();
        let entry = entries.iter().find(|e| spec.matches(e.place.name()))?;
        Some(entry.place.clone())
    }

    /// Lets go of them: each goes when the last call that it runs has returned.
    pub(crate) fn clear(&self) {
        // Dropped without the lock: a device may run code of the program's then.
        let entries = std::mem::take(&mut *self.entries.write());
        drop(entries);
    }
}

impl Shared {
    pub(crate) fn register_custom_device(
        &self,
        name: &str,
        device: Arc<dyn CustomDevice>,
    ) -> Result<CustomPlace> {
        let spec: Option<DeviceSpec> = name.parse().ok();
        let Some(name) = spec.and_then(DeviceName::from_spec) else {
            bail!(
                InvalidArgument,
                "{name} could not be parsed as a device name. Use the full /job:<name>/replica:<replica>/task:<task>/device:<type>:<device_num> format."
            );
        };
        ensure!(
            self.place_of(&name).is_none(),
            AlreadyExists,
            "{name} already registered as a physical device."
        );
        let place = CustomPlace(Arc::new(Registered {
            name,
            device: Arc::downgrade(&device),
        }));
        let mut entries = self.custom_devices.entries.write();
        let is_taken = entries.iter().any(|e| e.place.name() == place.name());
        if is_taken {
            // Dropped without the lock, as in `clear`.
            drop(entries);
            drop(device);
            bail!(
                AlreadyExists,
                "{} already registered as a custom device.",
                place.name()
            );
        }
        entries.push(Entry {
            place: place.clone(),
            _device: device,
        });
        self.custom_devices.any.store(true, Ordering::Release);
        Ok(place)
    }
}

impl Op {
    /// The custom device that the call is for, if one is. For another device the inputs that lie on a custom device are
    /// copied off it.
    #[cold]
    pub(crate) fn place_on_custom_device(&mut self) -> Result<Option<CustomPlace>> {
        let mut places = self.call.inputs.custom_places();
        if let Some(first) = places.next().cloned() {
            if let Some(other) = places.find(|place| **place != first) {
                bail!(
                    InvalidArgument,
                    "If an operation has one of its inputs in a custom device, then all inputs should be on that same custom device or another physical device. Operation {} has one input in custom device {} and at least one input in a different custom device {}",
                    self.name(),
                    first.name(),
                    other.name()
                );
            }
            if first.device()?.shall_pin(&first, self) {
                return Ok(Some(first));
            }
        }
        drop(places);
        if let Some(wish) = &self.call.device
            && wish.place.is_none()
            && let Some(place) = self.ctx.custom_devices.find(&wish.spec)
        {
            return Ok(Some(place));
        }
        if self.call.inputs.any_custom() {
            let place = self.call.wished_place(&self.ctx)?.unwrap_or(0);
            let target = self.ctx.places[place].device.name().as_str();
            self.call.inputs.copy_off_custom_devices(target)?;
        }
        Ok(None)
    }
}
