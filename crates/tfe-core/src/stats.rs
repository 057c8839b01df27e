//! Counts of live and peak host memory, kept a thread at a time and summed on request: a shared counter would cost
//! each call 50 to 150 ns on two threads.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use thread_local::ThreadLocal;

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

static COUNTERS: LazyLock<ThreadLocal<Counters>> = LazyLock::new(ThreadLocal::new);

/// The figures now. Threads at work make them blurred by what they do meanwhile.
pub fn memory() -> MemoryStats {
    COUNTERS
        .iter()
        .fold(MemoryStats::default(), |sum, c| MemoryStats {
            live_bytes: sum.live_bytes + c.bytes.load(Relaxed),
            peak_bytes: sum.peak_bytes + c.peak.load(Relaxed),
            live_buffers: sum.live_buffers + c.buffers.load(Relaxed),
        })
}

/// Notes that a buffer of `bytes` came (`sign` 1) or went (-1).
///
/// Only the thread itself writes its counters, so a load and a store do: no locked instruction.
pub(crate) fn note(bytes: usize, sign: i64) {
    let c = COUNTERS.get_or_default();
    let live = c.bytes.load(Relaxed) + sign * bytes as i64;
    c.bytes.store(live, Relaxed);
    c.buffers.store(c.buffers.load(Relaxed) + sign, Relaxed);
    if live > c.peak.load(Relaxed) {
        c.peak.store(live, Relaxed);
    }
}
