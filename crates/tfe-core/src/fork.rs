//! Locks that no thread holds while the process forks.
//!
//! A child has one thread, the one that forked. A lock that another thread held at that moment would stay locked there for
//! ever, and what it guards half changed. So a fork waits until no thread is inside of a lock of this module or [`enter`]ed
//! otherwise, and threads that want to get inside wait until the fork is done. Each thread says where it is in a word of its own, so
//! that threads do not slow each other down.
//!
//! Whoever is inside is soon out again, and waits for nobody who is not inside as well.
#![expect(unsafe_code, reason = "tells C's library what to do around a fork")]

use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError, RwLockReadGuard, RwLockWriteGuard};
use std::thread;
use std::time::Duration;

/// Forks under way: 1 or none, since who forks holds [`THREADS`].
static FORKS: AtomicUsize = AtomicUsize::new(0);
/// For each thread, whether it is inside. Held by a thread from before its fork until after it.
static THREADS: std::sync::Mutex<Vec<Arc<AtomicBool>>> = std::sync::Mutex::new(Vec::new());
/// How many threads are inside that are ending, so that they have no word of their own any more.
static ENDING: AtomicUsize = AtomicUsize::new(0);

/// The word of one thread, and how often it is inside.
struct Here {
    inside: Arc<AtomicBool>,
    depth: Cell<usize>,
}

thread_local! {
    static HERE: Here = {
        let inside = Arc::<AtomicBool>::default();
        let mut threads = threads();
        watch_forks();
        threads.push(Arc::clone(&inside));
        Here { inside, depth: Cell::new(0) }
    };
    /// The lock of [`THREADS`] while this thread forks.
    static FORKING: Cell<Option<MutexGuard<'static, Vec<Arc<AtomicBool>>>>> = const { Cell::new(None) };
}

fn threads() -> MutexGuard<'static, Vec<Arc<AtomicBool>>> {
    THREADS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Here {
    fn drop(&mut self) {
        threads().retain(|inside| !Arc::ptr_eq(inside, &self.inside));
    }
}

/// Has C's library call what is to be done around each fork; once, however often it is asked to.
fn watch_forks() {
    static DONE: AtomicBool = AtomicBool::new(false);
    if !DONE.swap(true, Ordering::Relaxed) {
        // SAFETY: functions of this library, which C's library forgets when it is unloaded.
        unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(after_fork)) };
    }
}

/// Waits until no other thread is inside.
extern "C" fn before_fork() {
    // First, since it may be the first use of `HERE`, which takes the lock.
    let own = HERE.try_with(|here| Arc::as_ptr(&here.inside));
    let threads = threads();
    FORKS.fetch_add(1, Ordering::SeqCst);
    for inside in threads.iter() {
        let is_own = own.is_ok_and(|own| own == Arc::as_ptr(inside));
        while !is_own && inside.load(Ordering::SeqCst) {
            thread::yield_now();
        }
    }
    while ENDING.load(Ordering::SeqCst) != 0 {
        thread::yield_now();
    }
    // A thread that ends as it forks: who is inside by then waits for nothing.
    let _ = FORKING.try_with(|forking| forking.set(Some(threads)));
}

/// Lets threads inside again, in the parent and in the child.
extern "C" fn after_fork() {
    FORKS.fetch_sub(1, Ordering::SeqCst);
    let _ = FORKING.try_with(Cell::take);
}

/// Says that this thread is inside, once no fork is under way.
fn get_inside(say: impl Fn(bool)) {
    loop {
        // Either this thread sees the fork, or who forks sees this thread: all four accesses are in one order.
        say(true);
        if FORKS.load(Ordering::SeqCst) == 0 {
            return;
        }
        say(false);
        while FORKS.load(Ordering::SeqCst) != 0 {
            thread::sleep(Duration::from_micros(50));
        }
    }
}

/// While it lives, the process does not fork. It may be had several times by one thread.
#[must_use]
pub struct Inside {
    is_ending: bool,
    _not_send: PhantomData<*const ()>,
}

/// Keeps the process from forking: around a first use of something that is then there for all threads.
#[inline]
pub fn enter() -> Inside {
    let entered = HERE.try_with(|here| {
        let depth = here.depth.get();
        if depth == 0 {
            get_inside(|is| here.inside.store(is, Ordering::SeqCst));
        }
        here.depth.set(depth + 1);
    });
    let is_ending = entered.is_err();
    if is_ending {
        get_inside(|is| {
            let change = if is { 1 } else { usize::MAX };
            ENDING.fetch_add(change, Ordering::SeqCst);
        });
    }
    Inside {
        is_ending,
        _not_send: PhantomData,
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        if self.is_ending {
            ENDING.fetch_sub(1, Ordering::SeqCst);
            return;
        }
        let _ = HERE.try_with(|here| {
            let depth = here.depth.get() - 1;
            here.depth.set(depth);
            if depth == 0 {
                here.inside.store(false, Ordering::Release);
            }
        });
    }
}

/// A lock that is held, and the value.
pub struct Guard<G> {
    // Dropped in this order: no longer locked, then no longer inside.
    value: G,
    _inside: Inside,
}

impl<G> Guard<G> {
    #[inline]
    fn new(lock: impl FnOnce() -> Result<G, PoisonError<G>>) -> Self {
        let inside = enter();
        Self {
            // A panic of who held the lock leaves the value as it was at that moment.
            value: lock().unwrap_or_else(PoisonError::into_inner),
            _inside: inside,
        }
    }
}

impl<G: Deref> Deref for Guard<G> {
    type Target = G::Target;

    #[inline]
    fn deref(&self) -> &G::Target {
        &self.value
    }
}

impl<G: DerefMut> DerefMut for Guard<G> {
    #[inline]
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.value
    }
}

/// `std::sync::Mutex` that no other thread holds in a child.
#[derive(Debug, Default)]
pub struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    /// An unlocked one.
    pub const fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    /// Waits until no other thread holds it.
    #[inline]
    pub fn lock(&self) -> Guard<MutexGuard<'_, T>> {
        Guard::new(|| self.0.lock())
    }
}

/// `std::sync::RwLock` that no other thread holds in a child.
#[derive(Debug, Default)]
pub struct RwLock<T>(std::sync::RwLock<T>);

impl<T> RwLock<T> {
    /// An unlocked one.
    pub const fn new(value: T) -> Self {
        Self(std::sync::RwLock::new(value))
    }

    /// Waits until no other thread writes.
    #[inline]
    pub fn read(&self) -> Guard<RwLockReadGuard<'_, T>> {
        Guard::new(|| self.0.read())
    }

    /// Waits until no other thread reads or writes.
    #[inline]
    pub fn write(&self) -> Guard<RwLockWriteGuard<'_, T>> {
        Guard::new(|| self.0.write())
    }
}
