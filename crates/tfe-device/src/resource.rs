//! The resource manager: named slots that hold variables, queues and tables.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tfe_core::{
    DataType, PartialShape, ResourceHandle, ResourceRef, Result, Tensor, bail, ensure, err,
};

use crate::DeviceName;

/// The container of resources that name none.
pub const DEFAULT_CONTAINER: &str = "localhost";

/// The place of a resource of type `R`; empty until the resource is made, and again once it is destroyed.
///
/// Handles hold the slot itself, so using a resource needs no look-up by name.
pub struct Slot<R> {
    manager: u64,
    value: Mutex<Option<R>>,
}

impl<R> Slot<R> {
    /// Runs `f` on what the slot holds. Other users of the slot wait meanwhile, so `f` is short.
    pub fn with<O>(&self, f: impl FnOnce(&mut Option<R>) -> O) -> O {
        // A panic within `f` leaves the resource as it was at that moment; its users get what is there.
        f(&mut self.value.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    container: String,
    name: String,
    kind: TypeId,
}

/// The named resources of one device.
pub struct ResourceManager {
    id: u64,
    device: DeviceName,
    slots: Mutex<HashMap<Key, Arc<dyn Any + Send + Sync>>>,
    anonymous: AtomicU64,
}

impl ResourceManager {
    /// An empty manager for that device.
    pub fn new(device: DeviceName) -> Self {
        // Tells the slots of one manager from those of another of the same device name.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            device,
            slots: Mutex::default(),
            anonymous: AtomicU64::new(0),
        }
    }

    /// A handle to the slot of that container and name; the slot is made when it is not there, the resource is not.
    /// An empty container is [`DEFAULT_CONTAINER`].
    pub fn handle<R: Send + 'static>(
        &self,
        container: &str,
        name: &str,
        type_name: &'static str,
    ) -> ResourceHandle {
        let container = if container.is_empty() {
            DEFAULT_CONTAINER
        } else {
            container
        };
        let key = Key {
            container: container.to_owned(),
            name: name.to_owned(),
            kind: TypeId::of::<R>(),
        };
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = Arc::clone(slots.entry(key).or_insert_with(|| self.new_slot::<R>()));
        self.handle_to(slot, container, name, type_name)
    }

    /// A handle to a new slot that only this handle and its copies reach.
    pub fn anonymous_handle<R: Send + 'static>(&self, type_name: &'static str) -> ResourceHandle {
        let number = self.anonymous.fetch_add(1, Ordering::Relaxed);
        self.handle_to(
            self.new_slot::<R>(),
            "Anonymous",
            &format!("Anonymous{number}"),
            type_name,
        )
    }

    fn new_slot<R: Send + 'static>(&self) -> Arc<dyn Any + Send + Sync> {
        Arc::new(Slot::<R> {
            manager: self.id,
            value: Mutex::new(None),
        })
    }

    fn handle_to(
        &self,
        slot: Arc<dyn Any + Send + Sync>,
        container: &str,
        name: &str,
        type_name: &'static str,
    ) -> ResourceHandle {
        ResourceHandle::new(ResourceRef {
            device: self.device.as_str().to_owned(),
            container: container.to_owned(),
            name: name.to_owned(),
            type_name,
            slot,
        })
    }

    /// The slot that a handle means, if it is one of this manager's and of type `R`.
    ///
    /// # Errors
    /// `FailedPrecondition` for the null handle and handles to other kinds or of another manager.
    pub fn slot<'h, R: Send + 'static>(&self, handle: &'h ResourceHandle) -> Result<&'h Slot<R>> {
        let Some(target) = handle.target() else {
            bail!(FailedPrecondition, "the resource handle is empty");
        };
        match target.slot.downcast_ref::<Slot<R>>() {
            Some(slot) if slot.manager == self.id => Ok(slot),
            Some(_) => bail!(
                FailedPrecondition,
                "Could not find {} {}/{}: it belongs to another context or device",
                target.type_name,
                target.container,
                target.name
            ),
            None => bail!(
                FailedPrecondition,
                "Could not find {}/{}: it is a {}, which this op does not take",
                target.container,
                target.name,
                target.type_name
            ),
        }
    }

    /// Empties all slots; handles to them stay valid and find nothing.
    pub fn clear(&self) {
        self.slots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}

impl fmt::Debug for ResourceManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = self
            .slots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len();
        write!(f, "{slots} resource slots of {}", self.device)
    }
}

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

    /// What it holds, to change in place where nobody else shares it.
    pub fn value_mut(&mut self) -> &mut Tensor {
        &mut self.value
    }

    /// The error of a variable that is not there.
    pub fn missing(handle: &ResourceHandle) -> tfe_core::Error {
        let (container, name) = handle
            .target()
            .map_or(("", ""), |t| (&*t.container, &*t.name));
        err!(
            FailedPrecondition,
            "Could not find variable {name}. This could mean that the variable has been deleted or was never initialized. Debug info: container={container}, status error message=Resource {container}/{name} does not exist."
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
            .map_err(|_| Self::missing(handle))?;
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
    /// # Errors
    /// `FailedPrecondition` when the handle means something else; `InvalidArgument` when `shape` is given and differs.
    pub fn assign(
        manager: &ResourceManager,
        handle: &ResourceHandle,
        value: Tensor,
        shape: Option<&PartialShape>,
    ) -> Result<()> {
        if let Some(shape) = shape {
            ensure!(
                shape.is_compatible_with(value.shape()),
                InvalidArgument,
                "Cannot assign a tensor of shape {} to a variable of shape {shape}",
                value.shape()
            );
        }
        let slot = manager.slot::<Self>(handle)?;
        // The old value is dropped outside of the lock: it may run a client's deallocator.
        let old = slot.with(|variable| variable.replace(Self::new(value)));
        drop(old);
        Ok(())
    }
}
