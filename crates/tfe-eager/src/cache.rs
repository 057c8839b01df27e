//! The kernel cache: a small cache a thread in front of one bounded table a context.
//!
//! A warm call finds its kernel in the front cache of its thread and touches nothing that another thread writes. The
//! front holds kernels by value: a call takes its kernel out and puts it back afterwards, which costs no reference count.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tfe_attrs::CacheKey;
use tfe_core::fork::Mutex;
use thread_local::ThreadLocal;

use crate::kernel_and_device::KernelAndDevice;

const FRONT_SLOTS: usize = 128;

/// A kernel that holds more is in no front: its calls take so long that a lock is nothing to them.
const MOST_FRONT_BYTES: usize = 64 << 10;

/// How much a cache keeps.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) kernels: usize,
    pub(crate) bytes: usize,
}

pub(crate) struct KernelCache {
    fronts: ThreadLocal<RefCell<Front>>,
    /// Goes up whenever kernels become invalid; a front of another generation is empty.
    generation: AtomicU64,
    table: Mutex<Table>,
    limits: Limits,
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
    /// What the kernels hold.
    bytes: usize,
}

/// A kernel that a call has in use, with what is needed to put it back.
pub(crate) struct InUse<'c> {
    seat: Seat<'c>,
    key: CacheKey,
    kernel: Option<Arc<KernelAndDevice>>,
}

/// The front of this thread, and the generation that is right now.
#[derive(Clone, Copy)]
pub(crate) struct Seat<'c> {
    front: &'c RefCell<Front>,
    generation: u64,
}

impl KernelCache {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            fronts: ThreadLocal::new(),
            generation: AtomicU64::new(0),
            table: Mutex::default(),
            limits,
        }
    }

    /// Where this thread looks first.
    #[inline]
    pub(crate) fn seat(&self) -> Seat<'_> {
        Seat {
            generation: self.generation.load(Ordering::Acquire),
            front: self.fronts.get_or_default(),
        }
    }

    /// The kernel of that key; `build` makes it when the cache has none.
    #[inline]
    pub(crate) fn take<E>(
        &self,
        seat: Seat<'_>,
        key: CacheKey,
        build: impl FnOnce() -> Result<KernelAndDevice, E>,
    ) -> Result<Arc<KernelAndDevice>, E> {
        match Front::take(seat.front, key, seat.generation) {
            Some(kernel) => Ok(kernel),
            None => self.find_or_build(key, seat.generation, build),
        }
    }

    #[cold]
    fn find_or_build<E>(
        &self,
        key: CacheKey,
        generation: u64,
        build: impl FnOnce() -> Result<KernelAndDevice, E>,
    ) -> Result<Arc<KernelAndDevice>, E> {
        let known = self.table.lock().find(key);
        if let Some(kernel) = known {
            return Ok(kernel);
        }
        // Built without the lock: building may take long, and may run user code. Two threads may both build.
        let kernel = Arc::new(build()?);
        let mut table = self.table.lock();
        // What was built before all was forgotten may be wrong by now: it serves this call and no other.
        if self.generation.load(Ordering::Acquire) != generation {
            return Ok(kernel);
        }
        let (kernel, evicted) = table.insert(key, kernel, self.limits);
        // Without the lock, for the reason that is given at `Front`.
        drop(table);
        drop(evicted);
        Ok(kernel)
    }

    /// Forgets all kernels. Calls in flight end with what they have.
    pub(crate) fn clear(&self) {
        // First, so that whoever holds the lock below and sees the old number is cleared away after.
        let generation = self.generation.fetch_add(1, Ordering::AcqRel) + 1;
        drop(std::mem::take(&mut *self.table.lock()));
        Front::renew(self.fronts.get_or_default(), generation);
    }

    /// The number of kernels in the table.
    pub(crate) fn len(&self) -> usize {
        self.table.lock().kernels.len()
    }
}

impl Default for Front {
    fn default() -> Self {
        Self {
            generation: 0,
            slots: Box::new([const { None }; FRONT_SLOTS]),
        }
    }
}

// A kernel may hold memory of a client, whose deallocator may call the runtime again: kernels are dropped only when the
// front is no longer borrowed.
impl Front {
    #[inline]
    fn take(this: &RefCell<Self>, key: CacheKey, generation: u64) -> Option<Arc<KernelAndDevice>> {
        let mut front = this.borrow_mut();
        if front.generation != generation {
            drop(front);
            Self::renew(this, generation);
            return None;
        }
        let slot = &mut front.slots[slot_of(key)];
        match slot {
            Some((k, _)) if *k == key => slot.take().map(|(_, kernel)| kernel),
            _ => None,
        }
    }

    #[cold]
    fn renew(this: &RefCell<Self>, generation: u64) {
        drop(this.replace(Self {
            generation,
            ..Self::default()
        }));
    }
}

fn slot_of(key: CacheKey) -> usize {
    key.lo as usize % FRONT_SLOTS
}

impl<'c> InUse<'c> {
    #[inline]
    pub(crate) fn new(seat: Seat<'c>, key: CacheKey, kernel: Arc<KernelAndDevice>) -> Self {
        Self {
            seat,
            key,
            kernel: Some(kernel),
        }
    }
}

impl std::ops::Deref for InUse<'_> {
    type Target = KernelAndDevice;

    #[inline]
    fn deref(&self) -> &KernelAndDevice {
        self.kernel.as_ref().expect("held until dropped")
    }
}

impl Drop for InUse<'_> {
    #[inline]
    fn drop(&mut self) {
        let is_small = self.bytes() <= MOST_FRONT_BYTES;
        let mut front = self.seat.front.borrow_mut();
        if front.generation == self.seat.generation && is_small {
            let kernel = self.kernel.take();
            let before = std::mem::replace(
                &mut front.slots[slot_of(self.key)],
                kernel.map(|k| (self.key, k)),
            );
            drop(front);
            drop(before);
        }
    }
}

impl Table {
    fn find(&mut self, key: CacheKey) -> Option<Arc<KernelAndDevice>> {
        let kernel = self.kernels.get(&key)?;
        kernel.mark_used();
        Some(Arc::clone(kernel))
    }

    /// Keeps a kernel, unless it is too big; gives the one to be used, and what had to go.
    fn insert(
        &mut self,
        key: CacheKey,
        kernel: Arc<KernelAndDevice>,
        limits: Limits,
    ) -> (Arc<KernelAndDevice>, Vec<Arc<KernelAndDevice>>) {
        let mut evicted = Vec::new();
        if let Some(first) = self.kernels.get(&key) {
            // Another thread was faster; its kernel may have state by now.
            return (Arc::clone(first), evicted);
        }
        if kernel.bytes() > limits.bytes && !kernel.keeps_state() {
            return (kernel, evicted);
        }
        let bytes = limits.bytes.saturating_sub(kernel.bytes());
        // Twice round: the first time takes away second chances.
        for _ in 0..2 * self.ring.len() {
            if self.kernels.len() < limits.kernels && self.bytes <= bytes {
                break;
            }
            let Some(oldest) = self.ring.pop_front() else {
                break;
            };
            match self.kernels.get(&oldest) {
                Some(k) if k.keeps_state() || k.take_used() => self.ring.push_back(oldest),
                _ => {
                    if let Some(kernel) = self.kernels.remove(&oldest) {
                        self.bytes -= kernel.bytes();
                        evicted.push(kernel);
                    }
                }
            }
        }
        self.ring.push_back(key);
        self.bytes += kernel.bytes();
        self.kernels.insert(key, Arc::clone(&kernel));
        (kernel, evicted)
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
