//! Counts of live and peak host memory, kept a thread at a time and summed on request: a shared counter would cost
//! each call 50 to 150 ns on two threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use crate::fork::Mutex;

/// Host memory held by tensors of this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryStats {
    /// Bytes in buffers that are alive.
    pub live_bytes: i64,
    /// The sum of each thread's highest balance of bytes; an upper bound of the peak, exact with one thread.
    pub peak_bytes: i64,
    /// Buffers that are alive.
    pub live_buffers: i64,
}

#[derive(Default)]
struct Counters {
    bytes: AtomicI64,
    peak: AtomicI64,
    buffers: AtomicI64,
}

/// The counters of all threads that live, and one more for those that do not.
static ALL: Mutex<Vec<Arc<Counters>>> = Mutex::new(Vec::new());
static GONE: Counters = Counters {
    bytes: AtomicI64::new(0),
    peak: AtomicI64::new(0),
    buffers: AtomicI64::new(0),
};

/// The counters of one thread; at its end they join those of the threads before it.
struct Mine(Arc<Counters>);

thread_local! {
    static MINE: Mine = {
        let counters = Arc::<Counters>::default();
        ALL.lock().push(Arc::clone(&counters));
        Mine(counters)
    };
}

impl Drop for Mine {
    fn drop(&mut self) {
        let mut all = ALL.lock();
        all.retain(|counters| !Arc::ptr_eq(counters, &self.0));
        GONE.bytes.fetch_add(self.0.bytes.load(Relaxed), Relaxed);
        GONE.peak.fetch_add(self.0.peak.load(Relaxed), Relaxed);
        GONE.buffers
            .fetch_add(self.0.buffers.load(Relaxed), Relaxed);
    }
}

/// The figures now. Threads at work make them blurred by what they do meanwhile.
pub fn memory() -> MemoryStats {
    let all = ALL.lock();
    let counters = all.iter().map(|counters| &**counters).chain([&GONE]);
    counters.fold(MemoryStats::default(), |sum, c| MemoryStats {
        live_bytes: sum.live_bytes.wrapping_add(c.bytes.load(Relaxed)),
        peak_bytes: sum.peak_bytes.wrapping_add(c.peak.load(Relaxed)),
        live_buffers: sum.live_buffers + c.buffers.load(Relaxed),
    })
}

/// Notes that a buffer of `bytes` came (`sign` 1) or went (-1).
#[inline]
pub(crate) fn note(bytes: usize, sign: i64) {
    let change = sign * bytes as i64;
    let noted = MINE.try_with(|mine| {
        // Only the thread itself writes its counters, so a load and a store do: no locked instruction.
        let c = &*mine.0;
        // Wrapping: memory of a client is as big as it says.
        let live = c.bytes.load(Relaxed).wrapping_add(change);
        c.bytes.store(live, Relaxed);
        c.buffers.store(c.buffers.load(Relaxed) + sign, Relaxed);
        if live > c.peak.load(Relaxed) {
            c.peak.store(live, Relaxed);
        }
    });
    if noted.is_err() {
        // The thread is ending, and its own counters are gone already.
        GONE.bytes.fetch_add(change, Relaxed);
        GONE.buffers.fetch_add(sign, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Buffer;

    #[test]
    fn what_one_thread_makes_and_another_drops_is_counted_once() {
        // Other tests of this process count as well: a size that stands out.
        const SIZE: usize = 3 << 40 >> 14;
        let before = memory().live_bytes;
        let made = std::thread::spawn(|| Buffer::allocate(SIZE).expect("memory"));
        let buffer = made.join().expect("no panic");
        let live = memory().live_bytes - before;
        assert!((live - SIZE as i64).abs() < 1 << 20, "{live}");
        drop(buffer);
        assert!((memory().live_bytes - before).abs() < 1 << 20);
    }
}
