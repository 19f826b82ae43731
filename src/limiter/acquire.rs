//! [`Acquire`]: a decision about to be made.

use std::fmt;
use std::pin::Pin;
use std::ptr;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::engine::{Claim, Engine};
use crate::decision::{AcquireError, Decision};

/// The future of [`Limiter::acquire`](crate::Limiter::acquire). It holds a hash, not the key, and allocates nothing.
///
/// Nothing is taken before it is polled. Several can be decided
/// [together](crate::Limiter::acquire_all).
#[must_use = "futures do nothing unless they are awaited"]
pub struct Acquire<'a, C> {
    pub(super) engine: &'a Engine,
    pub(super) class: C,
    pub(super) claim: Claim,
}

/// Decides requests of one limiter together.
pub(super) fn acquire_all<C: Copy, const N: usize>(
    engine: &Arc<Engine>,
    requests: [Acquire<'_, C>; N],
) -> Result<[Decision<C>; N], AcquireError> {
    if requests.iter().any(|request| !ptr::eq(request.engine, Arc::as_ptr(engine))) {
        return Err(AcquireError::OtherLimiter);
    }
    let claims = requests.each_ref().map(|request| request.claim);
    let mut verdicts = engine.acquire_all(&claims)?.into_iter();
    Ok(requests.map(|request| {
        let verdict = verdicts.next().expect("there is a verdict for each claim");
        Decision::new(request.class, verdict)
    }))
}

/// Nothing of it is ever pinned in place, whatever the class is.
impl<C> Unpin for Acquire<'_, C> {}

impl<C: Copy> Future for Acquire<'_, C> {
    type Output = Result<Decision<C>, AcquireError>;

    #[inline]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        let verdict = self.engine.acquire(self.claim);
        Poll::Ready(verdict.map(|verdict| Decision::new(self.class, verdict)))
    }
}

impl<C: fmt::Debug> fmt::Debug for Acquire<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut acquire = f.debug_struct("Acquire");
        acquire.field("class", &self.class).field("cost", &self.claim.cost).finish_non_exhaustive()
    }
}
