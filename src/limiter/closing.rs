//! [`Closing`]: the end of a limiter.

use std::future::poll_fn;
use std::mem;
use std::ops::Deref;
use std::task::{Context, Poll, Waker};

use super::engine::Engine;
use crate::decision::AcquireError;
use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering};

/// Guarded calls that were still running when waiting for them was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{running} guarded calls are still running; the limiter is closed and admits no more of them"
)]
pub struct CloseError {
    running: u64,
}

/// Whether a limiter is closed, and what has to end before it is.
#[derive(Debug, Default)]
pub(crate) struct Closing {
    closed: AtomicBool,
    running: AtomicU64,
    /// Who waits for the last one.
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// Grows with every call, so that one which waits sees that another came.
    turn: u64,
    active: bool,
    waker: Option<Waker>,
}

/// A guarded call that is running, with the limiter that waits for its end.
pub(crate) struct Running<E: Deref<Target = Engine>>(E);

impl Closing {
    #[inline]
    pub(crate) fn check(&self) -> Result<(), AcquireError> {
        // Nothing else is read on the strength of it, so no order is needed.
        if self.closed.load(Ordering::Relaxed) { Err(AcquireError::Closed) } else { Ok(()) }
    }

    /// Closes, and waits until no guarded call is running. Another call meanwhile ends the waiting of both.
    pub(crate) async fn close(&self) -> Result<(), CloseError> {
        self.closed.store(true, Ordering::SeqCst);
        let turn = {
            let mut waiting = self.waiting.lock();
            waiting.turn += 1;
            if mem::replace(&mut waiting.active, true) {
                let first = waiting.waker.take();
                waiting.active = false;
                drop(waiting);
                first.into_iter().for_each(Waker::wake);
                return self.outcome();
            }
            waiting.turn
        };
        let _over = Over(self, turn);
        poll_fn(|context| self.poll_closed(turn, context)).await
    }

    fn poll_closed(&self, turn: u64, context: &Context<'_>) -> Poll<Result<(), CloseError>> {
        let mut waiting = self.waiting.lock();
        if waiting.turn != turn || self.running.load(Ordering::SeqCst) == 0 {
            return Poll::Ready(self.outcome());
        }
        waiting.waker = Some(context.waker().clone());
        Poll::Pending
    }

    fn outcome(&self) -> Result<(), CloseError> {
        match self.running.load(Ordering::SeqCst) {
            0 => Ok(()),
            running => Err(CloseError { running }),
        }
    }
}

impl<E: Deref<Target = Engine>> Running<E> {
    /// Counts a guarded call until what is returned is dropped.
    pub(crate) fn enter(engine: E) -> Result<Self, AcquireError> {
        // Counted before the look, as closing looks at the count after it has closed: one of the two sees the other.
        engine.closing.running.fetch_add(1, Ordering::SeqCst);
        let running = Self(engine);
        let closed = running.0.closing.closed.load(Ordering::SeqCst);
        if closed { Err(AcquireError::Closed) } else { Ok(running) }
    }
}

impl<E: Deref<Target = Engine>> Drop for Running<E> {
    fn drop(&mut self) {
        let closing = &self.0.closing;
        if closing.running.fetch_sub(1, Ordering::SeqCst) == 1
            && closing.closed.load(Ordering::SeqCst)
        {
            let waker = closing.waiting.lock().waker.clone();
            waker.iter().for_each(Waker::wake_by_ref);
        }
    }
}

/// Ends the waiting of one call, also when it is cancelled.
struct Over<'a>(&'a Closing, u64);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting.lock();
        if waiting.turn == self.1 {
            waiting.active = false;
            waiting.waker = None;
        }
    }
}
