//! The work in flight of a test device, done in order by a thread of its own.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{JoinHandle, sleep};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use tfe_core::{Error, Result, err};
use tfe_device::Event;

/// A piece of work; it reports what went wrong.
pub(super) type Work = Box<dyn FnOnce() -> Result<()> + Send>;

enum Message {
    Work(Work),
    /// Answered once all work before it is done.
    Flush(Sender<()>),
}

/// Work that is done later, or at once where there is no thread.
pub(super) struct Queue {
    worker: Option<Worker>,
    /// The first failure that nobody has heard of yet.
    failure: Arc<Mutex<Option<Error>>>,
}

struct Worker {
    /// `None` once the queue is closed.
    sender: Option<Sender<Message>>,
    thread: Option<JoinHandle<()>>,
}

impl Queue {
    /// A queue whose thread waits for `latency` before each piece of work; without latency work is done at once.
    pub(super) fn new(latency: Option<Duration>) -> Self {
        let failure = Arc::default();
        let worker = latency.map(|latency| {
            let (sender, receiver) = unbounded();
            let failure = Arc::clone(&failure);
            Worker {
                sender: Some(sender),
                thread: Some(std::thread::spawn(move || {
                    work(&receiver, latency, &failure)
                })),
            }
        });
        Self { worker, failure }
    }

    /// Whether work is done later.
    pub(super) fn is_deferred(&self) -> bool {
        self.worker.is_some()
    }

    /// Adds a piece of work.
    pub(super) fn push(&self, work: Work) {
        match &self.worker {
            Some(worker) => worker.send(Message::Work(work)),
            None => note(&self.failure, work()),
        }
    }

    /// A mark behind the work that was added so far; it keeps the first failure that was known when it was reached.
    pub(super) fn mark(&self) -> Mark {
        let mark = Mark::default();
        let (reached, failure) = (mark.clone(), Arc::clone(&self.failure));
        self.push(Box::new(move || {
            let failed = failure
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            reached.reach(failed.map_or(Ok(()), Err));
            Ok(())
        }));
        mark
    }

    /// Waits until all work added so far is done.
    pub(super) fn flush(&self) {
        if let Some(worker) = &self.worker {
            let (sender, receiver) = bounded(1);
            worker.send(Message::Flush(sender));
            // An error means that the thread is gone, and the work with it.
            let _ = receiver.recv();
        }
    }

    /// The first failure since this was last asked.
    pub(super) fn take_failure(&self) -> Result<()> {
        match self
            .failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            Some(e) => Err(e),
            None => Ok(()),
        }
    }
}

/// An event of a test device.
#[derive(Clone, Default)]
pub(super) struct Mark(Arc<(Mutex<Option<Result<()>>>, Condvar)>);

impl Mark {
    fn reach(&self, state: Result<()>) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
        self.0.1.notify_all();
    }
}

impl Event for Mark {
    fn is_passed(&self) -> bool {
        let state = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_some()
    }

    fn wait(&self) -> Result<()> {
        let mut state = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*state {
                Some(reached) => return reached.clone(),
                None => state = self.0.1.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Worker {
    fn send(&self, message: Message) {
        if let Some(sender) = &self.sender {
            // The thread ends only when the sender goes.
            let _ = sender.send(message);
        }
    }
}

fn work(receiver: &Receiver<Message>, latency: Duration, failure: &Mutex<Option<Error>>) {
    for message in receiver {
        match message {
            Message::Work(work) => {
                sleep(latency);
                let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
                let panicked = |_| Err(err!(Internal, "a kernel panicked on a test device"));
                note(failure, caught.unwrap_or_else(panicked));
            }
            Message::Flush(done) => {
                let _ = done.send(());
            }
        }
    }
}

fn note(failure: &Mutex<Option<Error>>, result: Result<()>) {
    if let Err(e) = result {
        failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(e);
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if let Some(worker) = &mut self.worker {
            worker.sender = None;
            if let Some(thread) = worker.thread.take() {
                let _ = thread.join();
            }
        }
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_deferred() {
            "work done later"
        } else {
            "work done at once"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_in_order_and_the_first_failure_is_kept() {
        for latency in [None, Some(Duration::from_millis(1))] {
            let queue = Queue::new(latency);
            let seen = Arc::new(Mutex::new(Vec::new()));
            for i in 0..10 {
                let seen = Arc::clone(&seen);
                queue.push(Box::new(move || {
                    seen.lock().expect("no panic").push(i);
                    if i % 4 == 3 {
                        Err(err!(Aborted, "{i}"))
                    } else {
                        Ok(())
                    }
                }));
            }
            queue.flush();
            assert_eq!(*seen.lock().expect("no panic"), (0..10).collect::<Vec<_>>());
            assert_eq!(queue.take_failure().expect_err("two failed").message(), "3");
            assert!(queue.take_failure().is_ok());
        }
    }

    #[test]
    fn a_queue_finishes_before_it_goes() {
        let queue = Queue::new(Some(Duration::from_millis(5)));
        let done = Arc::new(Mutex::new(false));
        let flag = Arc::clone(&done);
        queue.push(Box::new(move || {
            *flag.lock().expect("no panic") = true;
            Ok(())
        }));
        drop(queue);
        assert!(*done.lock().expect("no panic"));
    }
}
