//! [`Limiter`]: the buckets of a catalogue's classes, shared by everything that asks for tokens.

mod acquire;
#[cfg(feature = "gate")]
mod budget;
mod closing;
#[cfg(feature = "redis")]
mod clustered;
mod engine;
mod handle;
mod names;
#[cfg(feature = "gate")]
mod receipt;
#[cfg(feature = "tokio")]
mod run;
mod start;

use std::fmt;
use std::sync::Arc;

use acquire::acquire_all;
pub use acquire::{Acquire, Peek};
#[cfg(feature = "gate")]
pub(crate) use budget::{Budget, Source};
pub use closing::CloseError;
pub(crate) use closing::Running;
pub(crate) use engine::Engine;
use handle::Shared;
pub use handle::{Handle, InvalidCost, Keyed};
use names::Named;
#[cfg(feature = "gate")]
pub(crate) use receipt::{Receipt, Receipts};
pub use start::StartError;

use crate::Class;
use crate::catalogue::Catalogue;
use crate::clock::{Clock, SystemClock};
use crate::config::Config;
use crate::decision::{AcquireError, Decision};
use crate::key::ToKey;
use crate::observe::Observer;
use crate::store::local::PolicyId;

/// Decides who may go on. Clones share their buckets.
///
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use tollgate::{Class, Config, Limiter};
///
/// let limiter = Limiter::<Class>::new(&Config::default())?;
/// let decision = limiter.acquire(Class::Read, "alice").await?;
/// assert!(decision.permitted());
/// assert_eq!(decision.remaining(), Some(119));
/// # Ok(())
/// # }
/// # futures(example());
/// # fn futures(future: impl Future<Output = Result<(), Box<dyn std::error::Error>>>) {
/// #     let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// #     assert!(matches!(std::pin::pin!(future).poll(&mut context), std::task::Poll::Ready(Ok(()))));
/// # }
/// ```
pub struct Limiter<C: Catalogue = Class> {
    engine: Arc<Engine>,
    /// What it was made of.
    config: Arc<Config<C>>,
    #[cfg(feature = "gate")]
    budgets: Arc<budget::Budgets>,
}

/// A name that no policy of the limiter has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no policy is called `{given}`{}; policies are configured under `ratelimit.policies`",
    self.nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
)]
pub struct UnknownPolicy {
    given: String,
    nearest: Option<String>,
}

impl<C: Catalogue> Limiter<C> {
    /// A limiter on the machine's clock, with a full bucket for everybody.
    ///
    /// # Errors
    ///
    /// When the memory for `max_tracked_keys` buckets cannot be allocated, or the catalogue has more classes than a
    /// limiter can number.
    pub fn new(config: &Config<C>) -> Result<Self, StartError> {
        Self::with_clock(config, SystemClock::new())
    }

    /// The same on a clock of the caller's choice.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_clock(config: &Config<C>, clock: impl Clock + 'static) -> Result<Self, StartError> {
        let engine = Arc::new(Engine::start(config, clock)?);
        Ok(Self {
            engine,
            config: Arc::new(config.clone()),
            #[cfg(feature = "gate")]
            budgets: Arc::new(budget::Budgets::new(config.enabled)),
        })
    }

    /// The settings that the limiter was made of; a reload leaves them as they are.
    #[must_use]
    pub fn config(&self) -> &Config<C> {
        &self.config
    }

    /// Changes limits, switches and revisions while they are in use. Spent tokens stay spent, at most as many as the new
    /// capacity; another revision starts fresh buckets. Tiers and policies that are new are added; a tier that is gone has
    /// the limits of its class, a policy that is gone stays as it was. The sizes of registries and the sweep interval are
    /// those of the start. Of a gate in front of the limiter, the limits of default budgets and edge rules change as
    /// well; the rest of it changes with the reload of the gate, which is also one of the limiter.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn reload(&self, config: &Config<C>) -> Result<(), StartError> {
        self.engine.reload(config)?;
        #[cfg(feature = "gate")]
        self.reload_budgets(config)?;
        Ok(())
    }

    /// Takes one token from the bucket of `key` in `class`.
    ///
    /// The key is hashed at once and not kept; the token is taken when the future is first polled, and it never waits. A new key
    /// has a full bucket. A refusal takes nothing.
    ///
    /// # Errors
    ///
    /// Never for a quota; see [`AcquireError`].
    #[inline]
    pub fn acquire(&self, class: C, key: impl ToKey) -> Acquire<'_, C> {
        let claim = self.engine.claim(policy_of(class), &key, 1);
        Acquire::new(&self.engine, class, claim)
    }

    /// Decides several requests together: all take their tokens, or none does. Each is made by
    /// [`acquire`](Self::acquire) or by a handle and may cost something else.
    ///
    /// Every request has its own decision. When one is refused, the others say what they would have got.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tollgate::{Class, Config, Limiter};
    ///
    /// let limiter = Limiter::<Class>::new(&Config::default())?;
    /// let exports = limiter.class(Class::Export).cost(2)?;
    /// let requests = [limiter.acquire(Class::Read, "alice"), exports.acquire("alice")];
    /// let decisions = limiter.acquire_all(requests).await?;
    /// assert!(decisions.iter().all(|decision| decision.permitted()));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`acquire`](Self::acquire), and when a request was made by another limiter. Then nothing is taken.
    pub async fn acquire_all<const N: usize>(
        &self,
        requests: [Acquire<'_, C>; N],
    ) -> Result<[Decision<C>; N], AcquireError> {
        acquire_all(&self.engine, requests).await
    }

    /// How the bucket of `key` in `class` stands, as a request of one token would find it; takes nothing.
    ///
    /// # Errors
    ///
    /// As [`acquire`](Self::acquire).
    pub fn peek(&self, class: C, key: impl ToKey) -> Peek<'_, C> {
        let claim = self.engine.claim(policy_of(class), &key, 1);
        Peek::new(&self.engine, class, claim)
    }

    /// A handle on one class, for requests that cost more than one token, for tiers and for guarded calls.
    #[must_use]
    pub fn class(&self, class: C) -> Handle<'_, C> {
        Handle::new(Shared::Borrowed(&self.engine), class, policy_of(class))
    }

    /// A handle on a policy, which no class of the catalogue is. Requests take its default cost.
    ///
    /// # Errors
    ///
    /// When the configuration has no policy of this name.
    pub fn policy(&self, name: &str) -> Result<Handle<'static, ()>, UnknownPolicy> {
        let Some(Named { policy, default_cost }) = self.engine.names.policy(name) else {
            let nearest = self.engine.names.nearest(name);
            return Err(UnknownPolicy { given: name.to_owned(), nearest });
        };
        let engine = Shared::Kept(Arc::clone(&self.engine));
        Ok(Handle::new(engine, (), policy).with_checked_cost(default_cost))
    }

    /// Tells `observer` of every decision from now on.
    pub fn observe(&self, observer: impl Observer + 'static) {
        self.engine.observers.add(Box::new(observer));
    }

    /// Closes the limiter for all its clones: whoever acquires from now on gets an error. It waits until no guarded
    /// call is running, by [`execute`](Handle::execute) or of a function whose `#[rate_limited(..)]` names a limiter; closing once
    /// more meanwhile ends the waiting of both. Then the unspent tokens of leases go back to their clustered buckets,
    /// which takes no longer than an operation on them; a limiter that is dropped without being closed loses them.
    ///
    /// # Errors
    ///
    /// When the waiting was ended while guarded calls were running.
    pub async fn close(&self) -> Result<(), CloseError> {
        let closed = self.engine.closing.close().await;
        #[cfg(feature = "redis")]
        self.engine.give_back_leases().await;
        closed
    }

    /// The number of buckets that are not full. It looks at every slot.
    #[must_use]
    pub fn tracked_keys(&self) -> u64 {
        self.engine.tracked_keys()
    }

    /// The number of buckets that made way for a new key while they were not full, since the start. When it grows, raise
    /// `max_tracked_keys`.
    #[must_use]
    pub fn evictions(&self) -> u64 {
        self.engine.evictions()
    }

    /// Erases the fingerprints of full buckets and says how many there were. It looks at every slot and stops nobody;
    /// a full bucket's slot is free for a new key also without it.
    #[expect(clippy::must_use_candidate, reason = "it is called for what it does")]
    pub fn sweep(&self) -> u64 {
        self.engine.sweep()
    }
}

#[cfg(test)]
impl<C: Catalogue> Limiter<C> {
    /// The same with all stores on the limiter's own clock.
    pub(crate) fn timed_by_its_clock(mut self) -> Self {
        let engine = Arc::get_mut(&mut self.engine).expect("it has no clones yet");
        #[cfg(feature = "redis")]
        engine.time_by_clock();
        let _ = engine;
        self
    }
}

impl<C: Catalogue> Clone for Limiter<C> {
    fn clone(&self) -> Self {
        Self {
            engine: Arc::clone(&self.engine),
            config: Arc::clone(&self.config),
            #[cfg(feature = "gate")]
            budgets: Arc::clone(&self.budgets),
        }
    }
}

impl<C: Catalogue> fmt::Debug for Limiter<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limiter").field("engine", &self.engine).finish_non_exhaustive()
    }
}

/// The policy of a class: classes are added first and in order, and numbers start at 1.
#[inline]
fn policy_of<C: Catalogue>(class: C) -> PolicyId {
    let index =
        u16::try_from(class.index() + 1).expect("a limiter numbers all classes at its start");
    PolicyId::from_index(index)
}
