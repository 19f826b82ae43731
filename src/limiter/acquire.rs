//! [`Acquire`] and [`Peek`]: decisions about to be made.

use std::fmt;
use std::pin::Pin;
use std::ptr;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::engine::{Claim, Engine};
use crate::decision::{AcquireError, Decision, Verdict};

/// The future of [`Limiter::acquire`](crate::Limiter::acquire). It holds a hash, not the key. For a local class it allocates
/// nothing and never waits; for a clustered one it waits for the backend, at most for the operation timeout.
///
/// Nothing is taken before it is polled. Several can be decided
/// [together](crate::Limiter::acquire_all).
#[must_use = "futures do nothing unless they are awaited"]
pub struct Acquire<'a, C> {
    pub(super) engine: &'a Engine,
    pub(super) class: C,
    pub(super) claim: Claim,
    waiting: Waiting<'a>,
}

/// The future of [`Limiter::peek`](crate::Limiter::peek), which waits as [`Acquire`] does.
#[must_use = "futures do nothing unless they are awaited"]
pub struct Peek<'a, C> {
    engine: &'a Engine,
    class: C,
    claim: Claim,
    waiting: Waiting<'a>,
}

/// What a clustered class waits for; a local one has nothing.
#[cfg(feature = "redis")]
type Waiting<'a> = Option<Pin<Box<dyn Future<Output = Result<Verdict, AcquireError>> + Send + 'a>>>;
#[cfg(not(feature = "redis"))]
type Waiting<'a> = std::marker::PhantomData<&'a ()>;

impl<'a, C> Acquire<'a, C> {
    #[inline]
    pub(super) fn new(engine: &'a Engine, class: C, claim: Claim) -> Self {
        Self { engine, class, claim, waiting: Waiting::default() }
    }

    /// What is decided, unless that has to be waited for; then nothing has happened.
    #[cfg(feature = "gate")]
    #[inline]
    #[cfg_attr(
        not(feature = "redis"),
        expect(clippy::unnecessary_wraps, reason = "nothing but a clustered class is waited for")
    )]
    pub(crate) fn at_once(&self) -> Option<Result<Verdict, AcquireError>> {
        #[cfg(feature = "redis")]
        if let Some(key) = self.claim.shared {
            return self.engine.acquire_leased(self.claim, key).map(Ok);
        }
        if let Some(verdict) = self.engine.acquire_quickly(self.claim) {
            return Some(Ok(verdict));
        }
        let Claim { policy, hash, cost, .. } = self.claim;
        Some(self.engine.acquire(policy, hash, cost))
    }
}

impl<'a, C> Peek<'a, C> {
    pub(super) fn new(engine: &'a Engine, class: C, claim: Claim) -> Self {
        Self { engine, class, claim, waiting: Waiting::default() }
    }
}

/// Decides requests of one limiter together.
pub(super) async fn acquire_all<C: Copy, const N: usize>(
    engine: &Arc<Engine>,
    requests: [Acquire<'_, C>; N],
) -> Result<[Decision<C>; N], AcquireError> {
    if requests.iter().any(|request| !ptr::eq(request.engine, Arc::as_ptr(engine))) {
        return Err(AcquireError::OtherLimiter);
    }
    let claims = requests.each_ref().map(|request| request.claim);
    let classes = requests.map(|request| request.class);
    let mut verdicts = decide_all(engine, &claims).await?.into_iter();
    Ok(classes.map(|class| {
        let verdict = verdicts.next().expect("there is a verdict for each claim");
        Decision::new(class, verdict)
    }))
}

#[cfg(feature = "redis")]
async fn decide_all(engine: &Engine, claims: &[Claim]) -> Result<Vec<Verdict>, AcquireError> {
    if claims.iter().any(|claim| claim.shared.is_some()) {
        return engine.acquire_all_shared(claims).await;
    }
    engine.acquire_all(claims)
}

#[cfg(not(feature = "redis"))]
#[expect(clippy::unused_async, reason = "nothing but a clustered class is waited for")]
async fn decide_all(engine: &Engine, claims: &[Claim]) -> Result<Vec<Verdict>, AcquireError> {
    engine.acquire_all(claims)
}

/// Nothing of it is ever pinned in place, whatever the class is.
impl<C> Unpin for Acquire<'_, C> {}
impl<C> Unpin for Peek<'_, C> {}

impl<C: Copy> Future for Acquire<'_, C> {
    type Output = Result<Decision<C>, AcquireError>;

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "a decision that is copied on its way costs half of itself"
    )]
    #[cfg_attr(not(feature = "redis"), expect(unused_variables, reason = "nothing waits"))]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        #[cfg(feature = "redis")]
        if let Some(key) = this.claim.shared {
            let (engine, claim) = (this.engine, this.claim);
            if this.waiting.is_none() {
                if let Some(verdict) = engine.acquire_leased(claim, key) {
                    return Poll::Ready(Ok(Decision::new(this.class, verdict)));
                }
            }
            let waiting =
                this.waiting.get_or_insert_with(|| Box::pin(engine.acquire_shared(claim, key)));
            return decision(this.class, waiting.as_mut().poll(context));
        }
        // Written straight into the result: a decision that is copied on its way costs as much as the clock.
        if let Some(verdict) = this.engine.acquire_quickly(this.claim) {
            return Poll::Ready(Ok(Decision::new(this.class, verdict)));
        }
        let Claim { policy, hash, cost, .. } = this.claim;
        decision(this.class, Poll::Ready(this.engine.acquire(policy, hash, cost)))
    }
}

impl<C: Copy> Future for Peek<'_, C> {
    type Output = Result<Decision<C>, AcquireError>;

    #[cfg_attr(not(feature = "redis"), expect(unused_variables, reason = "nothing waits"))]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        #[cfg(feature = "redis")]
        if let Some(key) = this.claim.shared {
            let (engine, claim) = (this.engine, this.claim);
            let waiting =
                this.waiting.get_or_insert_with(|| Box::pin(engine.peek_shared(claim, key)));
            return decision(this.class, waiting.as_mut().poll(context));
        }
        decision(this.class, Poll::Ready(this.engine.peek(this.claim)))
    }
}

#[inline]
fn decision<C: Copy>(
    class: C,
    verdict: Poll<Result<Verdict, AcquireError>>,
) -> Poll<Result<Decision<C>, AcquireError>> {
    verdict.map(|verdict| verdict.map(|verdict| Decision::new(class, verdict)))
}

impl<C: fmt::Debug> fmt::Debug for Acquire<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut acquire = f.debug_struct("Acquire");
        acquire.field("class", &self.class).field("cost", &self.claim.cost).finish_non_exhaustive()
    }
}

impl<C: fmt::Debug> fmt::Debug for Peek<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut peek = f.debug_struct("Peek");
        peek.field("class", &self.class).field("cost", &self.claim.cost).finish_non_exhaustive()
    }
}
