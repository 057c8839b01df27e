//! Values that are not there yet: what a pending handle waits for, and the promise that gives it.

use std::sync::{Arc, OnceLock};

use tfe_core::{DataType, Result, Shape, Tensor, ensure, err};
use tfe_device::Device;

use crate::TensorHandle;

/// A value that comes later, or an error in its place.
pub(crate) struct Pending {
    pub(crate) dtype: DataType,
    /// The shape that the value will have, where it is known.
    shape: Option<Shape>,
    /// As that of a ready handle.
    pub(crate) device: Option<Arc<dyn Device>>,
    value: OnceLock<Result<Tensor>>,
}

impl Pending {
    /// The value, waited for.
    pub(crate) fn wait(&self) -> Result<&Tensor> {
        self.value.wait().as_ref().map_err(Clone::clone)
    }

    /// The value if it is there.
    pub(crate) fn now(&self) -> Option<Result<&Tensor>> {
        let value = self.value.get()?;
        Some(value.as_ref().map_err(Clone::clone))
    }

    /// The shape, waited for where it is not known.
    pub(crate) fn shape(&self) -> Result<&Shape> {
        match (self.now(), &self.shape) {
            (None, Some(shape)) => Ok(shape),
            _ => Ok(self.wait()?.shape()),
        }
    }

    fn check(&self, tensor: &Tensor) -> Result<()> {
        let dtype = tensor.dtype();
        ensure!(
            dtype == self.dtype,
            Internal,
            "a {} value was promised, and a {dtype} value given",
            self.dtype
        );
        if let Some(shape) = &self.shape {
            let given = tensor.shape();
            ensure!(
                given == shape,
                Internal,
                "a value of shape {shape} was promised, and one of shape {given} given"
            );
        }
        Ok(())
    }
}

/// The value of a [pending](TensorHandle::pending) handle, to be given once.
///
/// Dropped without a value, it fails the handle with `Cancelled`.
pub struct Promise(Option<Arc<Pending>>);

impl Promise {
    /// Gives the value, or the error in its place; whoever waits goes on. A value of another type or shape than the
    /// handle says is an `Internal` error.
    pub fn complete(mut self, value: Result<Tensor>) {
        if let Some(pending) = self.0.take() {
            let checked = value.and_then(|tensor| pending.check(&tensor).map(|()| tensor));
            // There is one promise, which ends here: nothing was set before.
            let _ = pending.value.set(checked);
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        if let Some(pending) = self.0.take() {
            let error = err!(Cancelled, "what was to give the value has been given up");
            let _ = pending.value.set(Err(error));
        }
    }
}

impl std::fmt::Debug for Promise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dtype = self.0.as_ref().map(|pending| pending.dtype);
        f.debug_tuple("Promise").field(&dtype).finish()
    }
}

impl TensorHandle {
    /// A handle to a value that is not there yet, and the promise of it. The shape may be told beforehand; `device` is
    /// where the value will be, `None` for host memory of `CPU:0`.
    ///
    /// What asks for the value waits for it, and fails with the error that comes in its place: an op with the handle among
    /// its inputs when it is executed.
    ///
    /// ```
    /// use tfe_eager::{Context, DataType, Shape, Tensor, TensorHandle};
    ///
    /// let (later, promise) = TensorHandle::pending(DataType::Float, Some(Shape::new(&[2])?), None);
    /// assert_eq!(later.dtype(), DataType::Float);
    /// assert_eq!(later.dims()?, [2]);
    ///
    /// let worker = std::thread::spawn(|| promise.complete(Tensor::vector(&[1.0f32, 2.0])));
    /// let negation = Context::new()?.op("Neg")?.input(&later)?.run1()?;
    /// assert_eq!(negation.to_vec::<f32>()?, [-1.0, -2.0]);
    /// # worker.join().expect("no panic");
    /// # Ok::<(), tfe_eager::Error>(())
    /// ```
    pub fn pending(
        dtype: DataType,
        shape: Option<Shape>,
        device: Option<Arc<dyn Device>>,
    ) -> (Self, Promise) {
        let pending = Arc::new(Pending {
            dtype,
            shape,
            device,
            value: OnceLock::new(),
        });
        let promise = Promise(Some(Arc::clone(&pending)));
        (Self::not_yet(pending), promise)
    }
}
