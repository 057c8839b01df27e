//! The threads of the rayon pool that a device has its work run in.

/// Whether the caller is a thread of a rayon pool. A device without one runs its work on the caller's thread; rayon would
/// start a pool of the whole process then, which nobody joins.
pub fn in_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// Runs `work(i)` for each number below `n` on the threads of the rayon pool that it is called in, or on this one.
pub fn for_each(n: usize, work: &(dyn Fn(usize) + Sync)) {
    use rayon::prelude::*;

    if in_pool() {
        (0..n).into_par_iter().for_each(work);
    } else {
        (0..n).for_each(work);
    }
}
