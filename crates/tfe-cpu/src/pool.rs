//! The thread pool of a CPU device: started by the first work that is worth it, joined with the device.

use std::sync::OnceLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::DenormalGuard;

#[derive(Debug)]
pub(crate) struct Pool {
    threads: usize,
    /// `None` inside when the threads could not be started: work then runs on the caller's thread.
    pool: OnceLock<Option<ThreadPool>>,
}

impl Pool {
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            threads: threads.max(1),
            pool: OnceLock::new(),
        }
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    pub(crate) fn install(&self, work: &mut (dyn FnMut() + Send)) {
        if self.threads == 1 {
            return work();
        }
        let start = || {
            ThreadPoolBuilder::new()
                .num_threads(self.threads)
                .thread_name(|i| format!("tfe-cpu-{i}"))
                .start_handler(|_| std::mem::forget(DenormalGuard::new()))
                .build()
                .ok()
        };
        match self.pool.get_or_init(start) {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}
