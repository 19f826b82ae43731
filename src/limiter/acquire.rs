//! [`Acquire`]: a decision about to be made.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::Engine;
use crate::decision::{AcquireError, Decision};
use crate::store::local::PolicyId;

/// The future of [`Limiter::acquire`](crate::Limiter::acquire). It holds a hash, not the key, and allocates nothing.
#[must_use = "futures do nothing unless they are awaited"]
pub struct Acquire<'a, C> {
    pub(super) engine: &'a Engine,
    pub(super) class: C,
    pub(super) policy: PolicyId,
    pub(super) hash: u64,
    pub(super) cost: u64,
}

/// Nothing of it is ever pinned in place, whatever the class is.
impl<C> Unpin for Acquire<'_, C> {}

impl<C: Copy> Future for Acquire<'_, C> {
    type Output = Result<Decision<C>, AcquireError>;

    #[inline]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        let verdict = self.engine.acquire(self.policy, self.hash, self.cost);
        Poll::Ready(verdict.map(|verdict| Decision::new(self.class, verdict)))
    }
}

impl<C: fmt::Debug> fmt::Debug for Acquire<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut acquire = f.debug_struct("Acquire");
        acquire.field("class", &self.class).field("cost", &self.cost).finish_non_exhaustive()
    }
}
