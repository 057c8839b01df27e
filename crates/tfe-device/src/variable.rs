//! Variables: tensors that ops read and replace.

use std::fmt;

use tfe_core::{Code, DataType, Error, ResourceHandle, Result, Tensor, ensure, err};

use crate::ResourceManager;
use crate::resource::container_and_name;

/// A variable: a tensor that ops read and replace.
#[derive(Clone, Debug)]
pub struct Variable {
    value: Tensor,
}

impl Variable {
    /// Kind of resource, for messages.
    pub const TYPE_NAME: &'static str = "variable";

    /// A variable with a first value.
    pub fn new(value: Tensor) -> Self {
        Self { value }
    }

    /// What it holds now; shares the memory.
    pub fn value(&self) -> &Tensor {
        &self.value
    }

    /// The error of a variable that is not there.
    pub fn missing(handle: &ResourceHandle) -> Error {
        let (container, name) = container_and_name(handle);
        Self::not_found(
            handle,
            format_args!("Resource {container}/{name} does not exist."),
        )
    }

    fn not_found(handle: &ResourceHandle, why: impl fmt::Display) -> Error {
        let (container, name) = container_and_name(handle);
        err!(
            FailedPrecondition,
            "Could not find variable {name}. This could mean that the variable has been deleted. In TF1, it can also mean the variable is uninitialized. Debug info: container={container}, status error message={why}"
        )
    }

    /// Reads the variable that `handle` means, as a tensor of `dtype`.
    ///
    /// # Errors
    /// `FailedPrecondition` when it is not there, `InvalidArgument` for another data type.
    pub fn read(
        manager: &ResourceManager,
        handle: &ResourceHandle,
        dtype: DataType,
    ) -> Result<Tensor> {
        let slot = manager
            .slot::<Self>(handle)
            .map_err(|e| Self::not_found(handle, e.message()))?;
        slot.with(|variable| {
            let variable = variable.as_ref().ok_or_else(|| Self::missing(handle))?;
            ensure!(
                variable.value.dtype() == dtype,
                InvalidArgument,
                "Trying to read variable with wrong dtype. Expected {dtype} got {}",
                variable.value.dtype()
            );
            Ok(variable.value.clone())
        })
    }

    /// Gives the variable that `handle` means a new value; makes it when it is not there.
    ///
    /// A variable keeps its data type. It keeps its shape only if `same_shape` asks for it.
    ///
    /// # Errors
    /// `FailedPrecondition` for a handle of another manager; `InvalidArgument` when the handle means something else, or
    /// data type or shape do not fit.
    pub fn assign(
        manager: &ResourceManager,
        handle: &ResourceHandle,
        value: Tensor,
        same_shape: bool,
    ) -> Result<()> {
        let slot = manager.slot::<Self>(handle)?;
        let mut new = Some(Self::new(value));
        slot.with(|variable| {
            if let (Some(old), Some(new)) = (&variable, &new) {
                old.check_assignable(&new.value, same_shape)?;
            }
            // What goes is dropped outside of the lock: it may run a client's deallocator.
            std::mem::swap(variable, &mut new);
            Ok(())
        })
    }

    /// Runs `f` on the value of the variable that `handle` means. Other users of the variable wait meanwhile, so `f` must
    /// not wait for work of other threads, which might want the variable.
    ///
    /// # Errors
    /// `NotFound` when it is not there, `InvalidArgument` when the handle means something else; those of `f`.
    pub fn update<O>(
        manager: &ResourceManager,
        handle: &ResourceHandle,
        f: impl FnOnce(&mut Tensor) -> Result<O>,
    ) -> Result<O> {
        let (container, name) = container_and_name(handle);
        let missing = || err!(NotFound, "Resource {container}/{name} does not exist.");
        let slot = manager.slot::<Self>(handle).map_err(|e| match e.code() {
            Code::FailedPrecondition => missing(),
            _ => e,
        })?;
        // What `f` may replace is kept until the lock is gone, if dropping it may run code of a client: a deallocator that
        // uses the variable. Nothing is lost by another owner, since `f` cannot write such memory in place anyway; values
        // of variants may lead to some wherever they lie themselves.
        let mut kept = None;
        let done = slot.with(|variable| {
            let value = &mut variable.as_mut().ok_or_else(missing)?.value;
            if !value.is_forwardable()
                || matches!(value.dtype(), DataType::Resource | DataType::Variant)
            {
                kept = Some(value.clone());
            }
            f(value)
        });
        drop(kept);
        done
    }

    fn check_assignable(&self, value: &Tensor, same_shape: bool) -> Result<()> {
        ensure!(
            value.dtype() == self.value.dtype(),
            InvalidArgument,
            "Trying to assign variable with wrong dtype. Expected {} got {}",
            self.value.dtype(),
            value.dtype()
        );
        ensure!(
            !same_shape || value.shape() == self.value.shape(),
            InvalidArgument,
            "Trying to assign to variable with tensor with wrong shape. Expected {} got {}",
            self.value.shape(),
            value.shape()
        );
        Ok(())
    }
}
