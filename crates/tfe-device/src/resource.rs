//! The resource manager: named slots that hold variables, queues and tables.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tfe_core::{DataType, Error, ResourceHandle, ResourceRef, Result, Tensor, bail, ensure, err};

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

/// A slot of any type.
trait AnySlot: Any + Send + Sync {
    fn empty(&self);
}

impl<R: Send + 'static> AnySlot for Slot<R> {
    fn empty(&self) {
        // Dropped outside of the lock: a resource may run a client's deallocator.
        let resource = self.with(Option::take);
        drop(resource);
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
    slots: Mutex<HashMap<Key, Arc<dyn AnySlot>>>,
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

    fn new_slot<R: Send + 'static>(&self) -> Arc<dyn AnySlot> {
        Arc::new(Slot::<R> {
            manager: self.id,
            value: Mutex::new(None),
        })
    }

    fn handle_to(
        &self,
        slot: Arc<dyn AnySlot>,
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
    /// `FailedPrecondition` for the null handle and handles of another manager, `InvalidArgument` for another kind.
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
                InvalidArgument,
                "Trying to access a handle's resource using the wrong type. The handle points to a resource (name '{}') of type '{}' but you are trying to access the resource as type '{}'",
                target.name,
                target.type_name,
                std::any::type_name::<R>()
            ),
        }
    }

    /// Empties all named slots; handles to them stay valid and find nothing until the resource is made anew.
    pub fn clear(&self) {
        let slots: Vec<_> = {
            let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            slots.values().cloned().collect()
        };
        slots.iter().for_each(|slot| slot.empty());
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

fn container_and_name(handle: &ResourceHandle) -> (&str, &str) {
    handle
        .target()
        .map_or(("", ""), |t| (&*t.container, &*t.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_is_dropped_outside_of_its_lock() {
        /// Looks into its own slot when it goes, as a client's deallocator might by way of an op.
        struct Nosy(Arc<ResourceManager>, ResourceHandle, Arc<AtomicU64>);
        impl Drop for Nosy {
            fn drop(&mut self) {
                let slot = self.0.slot::<Nosy>(&self.1).expect("the slot is there");
                assert!(slot.with(|value| value.is_none()));
                self.2.fetch_add(1, Ordering::Relaxed);
            }
        }
        let manager = Arc::new(ResourceManager::new(DeviceName::local("CPU", 0)));
        let handle = manager.handle::<Nosy>("", "n", "nosy");
        let drops = Arc::new(AtomicU64::new(0));
        let nosy = Nosy(Arc::clone(&manager), handle.clone(), Arc::clone(&drops));
        let slot = manager.slot::<Nosy>(&handle).expect("the slot is there");
        slot.with(|value| *value = Some(nosy));
        manager.clear();
        assert_eq!(drops.load(Ordering::Relaxed), 1);
        // The name still means the same slot.
        let again = manager.handle::<Nosy>(DEFAULT_CONTAINER, "n", "nosy");
        assert!(std::ptr::eq(
            slot,
            manager.slot::<Nosy>(&again).expect("the slot is there")
        ));
    }
}
