//! Queues with users who wait: order, room, closing, and what wakes whom.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use smallvec::smallvec;
use tfe_attrs::AttrValue;
use tfe_core::{Code, DataType, Error, ResourceHandle, Result, Tensor};
use tfe_device::{Cancellation, Device};

use super::fifo::{Fifo, Signature, Tuple};
use crate::testing::{Host, run_on};

fn fifo(capacity: usize) -> Arc<Fifo> {
    let signature = Signature {
        types: vec![DataType::Int32],
        shapes: None,
        capacity,
    };
    Arc::new(Fifo::new("q", signature))
}

fn element(value: usize) -> Result<Tuple> {
    Ok(smallvec![Tensor::scalar(value as i32)?])
}

fn values(elements: &[Tuple]) -> Vec<i32> {
    let value = |element: &Tuple| element[0].scalar_value::<i32>();
    elements
        .iter()
        .map(|e| value(e).expect("a number"))
        .collect()
}

/// Work on a thread of its own that is expected to wait for something.
struct Waiting<O>(Receiver<O>);

fn waiting<O: Send + 'static>(work: impl FnOnce() -> O + Send + 'static) -> Waiting<O> {
    let (done, result) = bounded(1);
    std::thread::spawn(move || {
        // Nobody listens any more when the test has failed.
        let _ = done.send(work());
    });
    let early = result.recv_timeout(Duration::from_millis(50)).err();
    assert_eq!(early, Some(RecvTimeoutError::Timeout), "it did not wait");
    Waiting(result)
}

impl<O> Waiting<O> {
    fn result(self) -> O {
        let result = self.0.recv_timeout(Duration::from_secs(20));
        result.expect("it was woken")
    }
}

#[test]
fn who_wants_many_takes_them_as_they_come_and_before_others() {
    let queue = fifo(2);
    let q = Arc::clone(&queue);
    let many = waiting(move || q.dequeue(5, false, None).map(|e| values(&e)));
    let q = Arc::clone(&queue);
    let one = waiting(move || q.dequeue(1, false, None).map(|e| values(&e)));
    // More than there is room for at a time.
    queue.enqueue(6, None, element).expect("open");
    assert_eq!(many.result().expect("five"), [0, 1, 2, 3, 4]);
    assert_eq!(one.result().expect("one"), [5]);
    assert_eq!(queue.len(), 0);
}

#[test]
fn who_brings_waits_for_room_and_closing_waits_for_them() {
    let queue = fifo(1);
    let q = Arc::clone(&queue);
    let bringing = waiting(move || q.enqueue(3, None, element));
    let q = Arc::clone(&queue);
    let closing = waiting(move || q.close(None));
    assert!(!queue.is_closed());
    let taken = queue.dequeue(3, false, None).expect("three");
    assert_eq!(values(&taken), [0, 1, 2]);
    bringing.result().expect("room for all");
    closing.result().expect("the first to close");
    assert!(queue.is_closed());
    let late = queue.enqueue(1, None, element).expect_err("closed");
    assert_eq!(late.code(), Code::Cancelled);
    assert_eq!(
        queue.close(None).expect_err("twice").code(),
        Code::Cancelled
    );
}

#[test]
fn closing_wakes_who_takes() {
    let queue = fifo(9);
    queue.enqueue(2, None, element).expect("open");
    let q = Arc::clone(&queue);
    let taking = waiting(move || q.dequeue(3, false, None));
    let q = Arc::clone(&queue);
    let last = waiting(move || q.dequeue(5, true, None).map(|e| values(&e)));
    queue.close(None).expect("open");
    let e = taking.result().expect_err("two of three");
    assert_eq!(
        (e.code(), e.message()),
        (
            Code::OutOfRange,
            "FIFOQueue 'q' is closed and has insufficient elements (requested 3, current size 2)"
        )
    );
    // What the one could not use the other gets.
    assert_eq!(last.result().expect("the rest"), [0, 1]);
    let none = queue.dequeue(1, true, None).expect_err("empty");
    assert_eq!(none.code(), Code::OutOfRange);
}

#[test]
fn closing_at_once_sends_those_away_who_bring() {
    let queue = fifo(1);
    queue.enqueue(1, None, element).expect("open");
    let q = Arc::clone(&queue);
    let bringing = waiting(move || q.enqueue(1, None, element));
    let q = Arc::clone(&queue);
    let closing = waiting(move || q.close(None));
    queue.close_now();
    let e = bringing.result().expect_err("sent away");
    assert_eq!(e.code(), Code::Cancelled);
    assert_eq!(closing.result().expect_err("late").code(), Code::Cancelled);
    assert_eq!(
        values(&queue.dequeue(1, false, None).expect("the first")),
        [0]
    );
}

#[test]
fn a_cancelled_run_leaves_its_place_and_steals_nothing() {
    let cancelled = |e: Error, what: &str| {
        assert_eq!(e.code(), Code::Cancelled);
        assert_eq!(e.message(), format!("{what} operation was cancelled"));
    };
    let queue = fifo(2);
    queue.enqueue(1, None, element).expect("open");
    let (first, second) = (Cancellation::new(), Cancellation::new());
    // The first has taken one of its three elements; the second stands behind it, and a third behind both.
    let taking = |n: usize, cancellation: Option<Cancellation>| {
        let queue = Arc::clone(&queue);
        waiting(move || {
            let taken = queue.dequeue(n, false, cancellation.as_ref());
            taken.map(|e| values(&e))
        })
    };
    let three = taking(3, Some(first.clone()));
    let one = taking(1, Some(second.clone()));
    let last = taking(2, None);
    second.cancel();
    cancelled(one.result().expect_err("cancelled"), "Dequeue");
    first.cancel();
    cancelled(three.result().expect_err("cancelled"), "Dequeue");
    // The third finds what was put back, and gets what comes.
    queue.enqueue(1, None, |_| element(7)).expect("open");
    assert_eq!(last.result().expect("two"), [0, 7]);
    let late = queue.dequeue(1, false, Some(&first));
    cancelled(late.expect_err("cancelled before"), "Dequeue");

    queue.enqueue(2, None, element).expect("open");
    let (enqueue, close) = (Cancellation::new(), Cancellation::new());
    let (q, run) = (Arc::clone(&queue), enqueue.clone());
    let bringing = waiting(move || q.enqueue(1, Some(&run), element));
    let (q, run) = (Arc::clone(&queue), close.clone());
    let closing = waiting(move || q.close(Some(&run)));
    close.cancel();
    cancelled(closing.result().expect_err("cancelled"), "Close");
    assert!(!queue.is_closed());
    enqueue.cancel();
    cancelled(bringing.result().expect_err("cancelled"), "Enqueue");
    assert_eq!(queue.len(), 2);
}

#[test]
fn users_of_both_kinds_lose_nothing() {
    let queue = fifo(3);
    std::thread::scope(|threads| {
        for k in 0..3 {
            let queue = &queue;
            threads.spawn(move || {
                for i in 0..100 {
                    let element = |j| element(k * 1000 + i * 2 + j);
                    queue.enqueue(2, None, element).expect("open");
                }
            });
        }
        let taking = || {
            let taken = (0..60).map(|_| queue.dequeue(5, false, None).expect("enough"));
            values(&taken.collect::<Vec<_>>().concat())
        };
        let takers = [threads.spawn(taking), threads.spawn(taking)];
        let mut all = takers.map(|t| t.join().expect("done")).concat();
        all.sort_unstable();
        let want = (0..3).flat_map(|k| (0..200).map(move |i| k * 1000 + i));
        assert!(all.into_iter().eq(want));
    });
}

#[test]
fn a_queue_that_is_destroyed_sends_all_away() {
    let device = Arc::new(Host::new());
    let types = || ("component_types", AttrValue::from(vec![DataType::Int32]));
    let handle = run_on(&device, "FIFOQueueV2", &[types()], vec![]).expect("a queue");
    let waiting = waiting({
        let (device, handle) = (Arc::clone(&device), handle.clone());
        move || run_on(&device, "QueueDequeueV2", &[types()], handle)
    });
    let handles = handle[0].as_slice::<ResourceHandle>().expect("handles");
    device
        .resources()
        .destroy(&handles[0])
        .expect("it is there");
    assert_eq!(
        waiting.result().expect_err("no queue").code(),
        Code::Cancelled
    );
    let e = run_on(&device, "QueueSizeV2", &[], handle).expect_err("no queue");
    assert_eq!(e.code(), Code::NotFound);
}

#[test]
fn a_batch_of_scalars_is_refused() {
    let device = Host::new();
    let types = ("component_types", AttrValue::from(vec![DataType::Int32]));
    let mut call = run_on(&device, "FIFOQueueV2", &[types], vec![]).expect("a queue");
    call.push(Tensor::scalar(1i32).expect("memory"));
    let types = ("Tcomponents", AttrValue::from(vec![DataType::Int32]));
    let e = run_on(&device, "QueueEnqueueManyV2", &[types], call).expect_err("a scalar");
    assert_eq!(e.code(), Code::InvalidArgument);
}
