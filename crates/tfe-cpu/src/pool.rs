//! The thread pool of a CPU device: started by the first work that is worth it, joined with the device. In a child that
//! the process forks, work runs on the caller's thread.

use std::sync::OnceLock;
use std::thread::{self, JoinHandle};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::DenormalGuard;

#[derive(Debug)]
pub(crate) struct Pool {
    threads: usize,
    /// `None` inside when the threads could not be started: work then runs on the caller's thread.
    running: OnceLock<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    /// The process that the threads belong to: a child that it forks has none of them.
    process: u32,
    pool: ThreadPool,
    /// By index of the worker, as rayon asks for them in that order.
    workers: Vec<JoinHandle<()>>,
}

impl Running {
    fn start(threads: usize) -> Option<Self> {
        let mut workers = Vec::with_capacity(threads);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            // Own handles to the threads: rayon lets go of its own, and then nobody can wait for their end.
            .spawn_handler(|worker| {
                let builder = thread::Builder::new().name(format!("tfe-cpu-{}", worker.index()));
                workers.push(builder.spawn(move || {
                    let _flush = DenormalGuard::new();
                    worker.run();
                })?);
                Ok(())
            })
            .build()
            .ok()?;
        Some(Self {
            process: std::process::id(),
            pool,
            workers,
        })
    }

    fn is_here(&self) -> bool {
        self.process == std::process::id()
    }
}

impl Pool {
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            threads: threads.max(1),
            running: OnceLock::new(),
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
            let _inside = tfe_core::fork::enter();
            self.running.get_or_init(|| Running::start(self.threads))
        };
        match self.running.get().unwrap_or_else(start) {
            Some(running) if running.is_here() => running.pool.install(work),
            _ => work(),
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let Some(running) = self.running.take().flatten() else {
            return;
        };
        if !running.is_here() {
            // Nobody is there to be told of the end, or to be waited for.
            std::mem::forget(running);
            return;
        }
        let Running { pool, workers, .. } = running;
        // The last owner of a device may be a task of its own pool: that thread ends by itself.
        let this = pool.current_thread_index();
        drop(pool);
        for (i, worker) in workers.into_iter().enumerate() {
            if Some(i) != this {
                // A worker that panicked has said so already.
                let _ = worker.join();
            }
        }
    }
}
