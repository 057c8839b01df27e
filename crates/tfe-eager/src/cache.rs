//! The kernel cache: a small cache a thread in front of one bounded table a context.
//!
//! A warm call finds its kernel in the front cache of its thread and touches nothing that another thread writes. The
//! front holds kernels by value: a call takes its kernel out and puts it back afterwards, which costs no reference count.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tfe_attrs::CacheKey;
use thread_local::ThreadLocal;

use crate::kernel_and_device::KernelAndDevice;

const FRONT_SLOTS: usize = 128;

pub(crate) struct KernelCache {
    fronts: ThreadLocal<RefCell<Front>>,
    /// Goes up whenever kernels become invalid; a front of another generation is empty.
    generation: AtomicU64,
    table: Mutex<Table>,
    capacity: usize,
}

struct Front {
    generation: u64,
    slots: Box<[Slot; FRONT_SLOTS]>,
}

type Slot = Option<(CacheKey, Arc<KernelAndDevice>)>;

#[derive(Default)]
struct Table {
    kernels: HashMap<CacheKey, Arc<KernelAndDevice>, BuildHasherDefault<KeyHasher>>,
    /// The order of the clock hand, for the second-chance rule.
    ring: VecDeque<CacheKey>,
}

/// A kernel that a call has in use, with what is needed to put it back.
pub(crate) struct InUse<'c> {
    cache: &'c KernelCache,
    key: CacheKey,
    generation: u64,
    kernel: Option<Arc<KernelAndDevice>>,
}

impl KernelCache {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            fronts: ThreadLocal::new(),
            generation: AtomicU64::new(0),
            table: Mutex::default(),
            capacity: capacity.max(1),
        }
    }

    fn front(&self) -> &RefCell<Front> {
        self.fronts.get_or(|| {
            RefCell::new(Front {
                generation: 0,
                slots: Box::new([const { None }; FRONT_SLOTS]),
            })
        })
    }

    /// The kernel of that key; `build` makes it when the cache has none.
    pub(crate) fn take<E>(
        &self,
        key: CacheKey,
        build: impl FnOnce() -> Result<KernelAndDevice, E>,
    ) -> Result<InUse<'_>, E> {
        let generation = self.generation.load(Ordering::Acquire);
        let in_use = |kernel| InUse {
            cache: self,
            key,
            generation,
            kernel: Some(kernel),
        };
        if let Some(kernel) = self.front().borrow_mut().take(key, generation) {
            return Ok(in_use(kernel));
        }
        let known = self.table().find(key);
        if let Some(kernel) = known {
            return Ok(in_use(kernel));
        }
        // Built without the lock: building may take long, and may run user code. Two threads may both build.
        let kernel = Arc::new(build()?);
        Ok(in_use(self.table().insert(key, kernel, self.capacity)))
    }

    fn table(&self) -> std::sync::MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets all kernels. Calls in flight end with what they have.
    pub(crate) fn clear(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
        let old = std::mem::take(&mut *self.table());
        drop(old);
        self.front()
            .borrow_mut()
            .renew(self.generation.load(Ordering::Acquire));
    }

    /// The number of kernels in the table.
    pub(crate) fn len(&self) -> usize {
        self.table().kernels.len()
    }
}

impl Front {
    fn take(&mut self, key: CacheKey, generation: u64) -> Option<Arc<KernelAndDevice>> {
        if self.generation != generation {
            self.renew(generation);
        }
        let slot = &mut self.slots[slot_of(key)];
        match slot {
            Some((k, _)) if *k == key => slot.take().map(|(_, kernel)| kernel),
            _ => None,
        }
    }

    fn renew(&mut self, generation: u64) {
        self.generation = generation;
        self.slots.fill(None);
    }
}

fn slot_of(key: CacheKey) -> usize {
    key.lo as usize % FRONT_SLOTS
}

impl std::ops::Deref for InUse<'_> {
    type Target = KernelAndDevice;

    fn deref(&self) -> &KernelAndDevice {
        self.kernel.as_ref().expect("held until dropped")
    }
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        // A kernel that runs client code may have come here again: then the front is this thread's, and free.
        let mut front = self.cache.front().borrow_mut();
        if front.generation == self.generation {
            let kernel = self.kernel.take();
            front.slots[slot_of(self.key)] = kernel.map(|k| (self.key, k));
        }
    }
}

impl Table {
    fn find(&mut self, key: CacheKey) -> Option<Arc<KernelAndDevice>> {
        let kernel = self.kernels.get(&key)?;
        kernel.mark_used();
        Some(Arc::clone(kernel))
    }

    fn insert(
        &mut self,
        key: CacheKey,
        kernel: Arc<KernelAndDevice>,
        capacity: usize,
    ) -> Arc<KernelAndDevice> {
        if let Some(first) = self.kernels.get(&key) {
            // Another thread was faster; its kernel may have state by now.
            return Arc::clone(first);
        }
        // Twice round: the first time takes away second chances.
        for _ in 0..2 * self.ring.len() {
            if self.kernels.len() < capacity {
                break;
            }
            let Some(oldest) = self.ring.pop_front() else {
                break;
            };
            match self.kernels.get(&oldest) {
                Some(k) if k.keeps_state() || k.take_used() => self.ring.push_back(oldest),
                _ => drop(self.kernels.remove(&oldest)),
            }
        }
        self.ring.push_back(key);
        self.kernels.insert(key, Arc::clone(&kernel));
        kernel
    }
}

/// Keys are fingerprints: any half of one is a hash already.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(b);
        }
    }

    fn write_u64(&mut self, half: u64) {
        self.0 ^= half;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
