//! The resource manager: named slots that hold variables, queues and tables.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use tfe_core::fork::Mutex;
use tfe_core::{ResourceHandle, ResourceRef, Result, bail, ensure};

use crate::DeviceName;

/// The container of resources that name none.
pub const DEFAULT_CONTAINER: &str = "localhost";
/// The container of anonymous resources.
const ANONYMOUS_CONTAINER: &str = "Anonymous";

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
        f(&mut self.value.lock())
    }
}

/// A slot of any type.
trait AnySlot: Any + Send + Sync {
    /// Drops what the slot holds; whether that was anything.
    fn empty(&self) -> bool;
    fn is_empty(&self) -> bool;
}

impl<R: Send + 'static> AnySlot for Slot<R> {
    fn empty(&self) -> bool {
        // Dropped outside of the lock: a resource may run a client's deallocator.
        let resource = self.with(Option::take);
        resource.is_some()
    }

    fn is_empty(&self) -> bool {
        self.with(|resource| resource.is_none())
    }
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    container: String,
    name: String,
    /// The type of the slot.
    kind: TypeId,
}

/// What a manager knows of a slot.
enum Entry {
    /// Named by a client, who may come back for it.
    Named(Arc<dyn AnySlot>),
    /// Named by the manager: gone with its last handle.
    Private(Weak<dyn AnySlot>),
}

impl Entry {
    fn slot(&self) -> Option<Arc<dyn AnySlot>> {
        match self {
            Self::Named(slot) => Some(Arc::clone(slot)),
            Self::Private(slot) => slot.upgrade(),
        }
    }

    /// Whether a handle means the slot, or it holds something that a name reaches. Told under the manager's lock, by
    /// way of which alone a slot without handles gets a new one.
    fn is_used(&self) -> bool {
        match self {
            Self::Named(slot) => Arc::strong_count(slot) > 1 || !slot.is_empty(),
            Self::Private(slot) => slot.strong_count() > 0,
        }
    }
}

#[derive(Default)]
struct Entries {
    by_key: HashMap<Key, Entry>,
    /// How many entries call for a look at which of them are used.
    full: usize,
}

impl Entries {
    /// The least number of entries that is looked through.
    const FEW: usize = 64;

    /// Takes out what nothing uses, each time that there are twice as many entries as were left the last time.
    fn prune(&mut self) {
        if self.by_key.len() >= self.full.max(Self::FEW) {
            self.by_key.retain(|_, entry| entry.is_used());
            self.full = 2 * self.by_key.len();
        }
    }
}

/// The named resources of one device.
pub struct ResourceManager {
    id: u64,
    device: DeviceName,
    entries: Mutex<Entries>,
    /// The number of the next resource without a name.
    unnamed: AtomicU64,
}

impl ResourceManager {
    /// An empty manager for that device.
    pub fn new(device: DeviceName) -> Self {
        // Tells the slots of one manager from those of another of the same device name.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            device,
            entries: Mutex::default(),
            unnamed: AtomicU64::new(0),
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
        let container = or_default(container);
        let mut entries = self.entries.lock();
        let slot = match entries.by_key.get(&Key::of::<R>(container, name)) {
            Some(Entry::Named(slot)) => Arc::clone(slot),
            _ => {
                let slot = self.new_slot::<R>();
                entries.prune();
                let entry = Entry::Named(Arc::clone(&slot));
                entries.by_key.insert(Key::of::<R>(container, name), entry);
                slot
            }
        };
        drop(entries);
        self.handle_to(slot, container, name, type_name)
    }

    /// A handle to a new slot with a name of the manager's, which only this handle and its copies reach.
    pub fn private_handle<R: Send + 'static>(
        &self,
        container: &str,
        op: &str,
        type_name: &'static str,
    ) -> ResourceHandle {
        let container = or_default(container);
        let name = format!("_{}_{op}", self.unnamed.fetch_add(1, Ordering::Relaxed));
        let slot = self.new_slot::<R>();
        let mut entries = self.entries.lock();
        entries.prune();
        let entry = Entry::Private(Arc::downgrade(&slot));
        let old = entries.by_key.insert(Key::of::<R>(container, &name), entry);
        drop(entries);
        // A client may have given a resource that name; dropped outside of the lock, as in `Slot::empty`.
        drop(old);
        self.handle_to(slot, container, &name, type_name)
    }

    /// A handle to a new slot that only this handle and its copies reach, and that lives until the last of them goes:
    /// it cannot be destroyed.
    pub fn anonymous_handle<R: Send + 'static>(&self, type_name: &'static str) -> ResourceHandle {
        let number = self.unnamed.fetch_add(1, Ordering::Relaxed);
        self.handle_to(
            self.new_slot::<R>(),
            ANONYMOUS_CONTAINER,
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

    /// Drops the resource that a handle means; anonymous ones stay.
    ///
    /// # Errors
    /// `NotFound` when there is none, or the handle is another manager's.
    pub fn destroy(&self, handle: &ResourceHandle) -> Result<()> {
        let (container, name) = container_and_name(handle);
        let slot = handle.target().and_then(|target| {
            let key = Key {
                container: container.to_owned(),
                name: name.to_owned(),
                kind: (*target.slot).type_id(),
            };
            let slot = self.entries.lock().by_key.get(&key)?.slot()?;
            std::ptr::addr_eq(&raw const *slot, &raw const *target.slot).then_some(slot)
        });
        let done = match slot {
            Some(slot) => slot.empty(),
            None => container == ANONYMOUS_CONTAINER,
        };
        ensure!(
            done,
            NotFound,
            "Resource {container}/{name} does not exist."
        );
        Ok(())
    }

    /// Empties all slots that names reach; handles to them stay valid and find nothing until the resource is made anew.
    pub fn clear(&self) {
        let slots: Vec<_> = {
            let entries = self.entries.lock();
            entries.by_key.values().filter_map(Entry::slot).collect()
        };
        for slot in slots {
            slot.empty();
        }
    }
}

impl Key {
    fn of<R: Send + 'static>(container: &str, name: &str) -> Self {
        Self {
            container: container.to_owned(),
            name: name.to_owned(),
            kind: TypeId::of::<Slot<R>>(),
        }
    }
}

fn or_default(container: &str) -> &str {
    if container.is_empty() {
        DEFAULT_CONTAINER
    } else {
        container
    }
}

impl fmt::Debug for ResourceManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = self.entries.lock().by_key.len();
        write!(f, "{slots} resource slots of {}", self.device)
    }
}

/// What a handle names; nothing for the null handle.
pub(crate) fn container_and_name(handle: &ResourceHandle) -> (&str, &str) {
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

    fn put<R: Send + 'static>(manager: &ResourceManager, handle: &ResourceHandle, value: R) {
        let slot = manager.slot::<R>(handle).expect("a slot of that type");
        slot.with(|place| *place = Some(value));
    }

    #[test]
    fn slots_that_nothing_uses_are_pruned() {
        let manager = ResourceManager::new(DeviceName::local("CPU", 0));
        let named = |name: &str| manager.handle::<u8>("", name, "byte");
        let full = named("full");
        put(&manager, &full, 1u8);
        drop(full);
        let held = named("held");
        for i in 0..1000 {
            let handle = named(&i.to_string());
            put(&manager, &handle, 2u8);
            manager.destroy(&handle).expect("it is there");
            put(
                &manager,
                &manager.private_handle::<u8>("", "op", "byte"),
                3u8,
            );
        }
        assert!(manager.entries.lock().by_key.len() <= 2 * Entries::FEW);
        let again = manager.slot::<u8>(&held).map(std::ptr::from_ref);
        let same = manager.slot::<u8>(&named("held")).map(std::ptr::from_ref);
        assert_eq!(again.expect("alive"), same.expect("alive"));
        let full = named("full");
        let slot = manager.slot::<u8>(&full).expect("alive");
        assert_eq!(slot.with(|value| *value), Some(1));
    }

    #[test]
    fn what_can_be_destroyed() {
        let manager = ResourceManager::new(DeviceName::local("CPU", 0));
        let other = ResourceManager::new(DeviceName::local("CPU", 0));
        let destroy = |handle: &ResourceHandle| manager.destroy(handle).map_err(|e| e.code());
        let missing = Err(tfe_core::Code::NotFound);
        for handle in [
            manager.handle::<u8>("", "n", "byte"),
            manager.private_handle::<u8>("box", "op", "byte"),
        ] {
            assert_eq!(destroy(&handle), missing, "empty");
            put(&manager, &handle, 1u8);
            assert_eq!(destroy(&handle), Ok(()));
            assert_eq!(destroy(&handle), missing, "twice");
        }
        let theirs = other.handle::<u8>("", "n", "byte");
        put(&other, &theirs, 1u8);
        assert_eq!(destroy(&theirs), missing);
        assert_eq!(destroy(&ResourceHandle::default()), missing);
        let anonymous = manager.anonymous_handle::<u8>("byte");
        put(&manager, &anonymous, 1u8);
        assert_eq!(destroy(&anonymous), Ok(()));
        let slot = manager.slot::<u8>(&anonymous).expect("a slot");
        assert_eq!(slot.with(|value| *value), Some(1));
    }
}
