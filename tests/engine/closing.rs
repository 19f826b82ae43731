//! The end of a limiter.

use std::future::pending;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tollgate::Class;
use tollgate::decision::{AcquireError, NotAdmitted};

use super::{reads, ready};

#[test]
fn after_closing_every_acquire_is_an_error() {
    let (limiter, _clock) = reads(60, 2);
    let clone = limiter.clone();
    assert_eq!(ready(limiter.close()), Ok(()));
    assert_eq!(ready(clone.acquire(Class::Read, "a")), Err(AcquireError::Closed));
    assert_eq!(ready(clone.peek(Class::Read, "a")), Err(AcquireError::Closed));
    let error = ready(clone.class(Class::Read).execute("a", async || ())).unwrap_err();
    assert_eq!(error, NotAdmitted::Acquire(AcquireError::Closed));
    let requests = [clone.acquire(Class::Read, "a")];
    assert_eq!(ready(clone.acquire_all(requests)).unwrap_err(), AcquireError::Closed);
    // Closing is idempotent.
    assert_eq!(ready(limiter.close()), Ok(()));
}

#[test]
fn closing_waits_for_guarded_calls_that_run() {
    let (limiter, _clock) = reads(60, 9);
    let reads = limiter.class(Class::Read);
    let mut context = Context::from_waker(Waker::noop());
    let (finish, finished) = tokio::sync::oneshot::channel::<()>();
    let mut running = Box::pin(reads.execute("a", || finished));
    assert!(running.as_mut().poll(&mut context).is_pending());

    let woken = std::sync::Arc::new(Woken::default());
    let waker = Waker::from(std::sync::Arc::clone(&woken));
    let mut closing = pin!(limiter.close());
    assert!(closing.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    assert!(closing.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    assert_eq!(ready(limiter.acquire(Class::Read, "a")), Err(AcquireError::Closed));

    finish.send(()).unwrap();
    assert!(running.as_mut().poll(&mut context).is_ready());
    drop(running);
    assert!(woken.0.load(std::sync::atomic::Ordering::Relaxed));
    assert_eq!(closing.as_mut().poll(&mut context), Poll::Ready(Ok(())));
}

#[test]
fn closing_again_ends_the_waiting_of_both_with_an_error() {
    let (limiter, _clock) = reads(60, 9);
    let reads = limiter.class(Class::Read);
    let mut context = Context::from_waker(Waker::noop());
    let mut running = Box::pin(reads.execute("a", pending::<()>));
    assert!(running.as_mut().poll(&mut context).is_pending());

    let woken = std::sync::Arc::new(Woken::default());
    let waker = Waker::from(std::sync::Arc::clone(&woken));
    let mut first = Box::pin(limiter.close());
    assert!(first.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    let error = ready(limiter.close()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "1 guarded calls are still running; the limiter is closed and admits no more of them"
    );
    assert!(woken.0.load(std::sync::atomic::Ordering::Relaxed));
    // A third one waits by itself, and the first has not forgotten that it was ended.
    let mut third = Box::pin(limiter.close());
    assert!(third.as_mut().poll(&mut context).is_pending());
    assert_eq!(first.as_mut().poll(&mut context), Poll::Ready(Err(error)));
    // One that is cancelled leaves the way free.
    drop(third);
    let mut fourth = Box::pin(limiter.close());
    assert!(fourth.as_mut().poll(&mut context).is_pending());
    drop(running);
    assert_eq!(fourth.as_mut().poll(&mut context), Poll::Ready(Ok(())));
}

#[derive(Default)]
struct Woken(std::sync::atomic::AtomicBool);

impl std::task::Wake for Woken {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}
