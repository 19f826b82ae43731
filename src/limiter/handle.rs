//! [`Handle`]: one class, tier or policy of a limiter.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

#[cfg(feature = "gate")]
use super::Limiter;
use super::acquire::{Acquire, Peek};
use super::closing::Running;
use super::engine::{Claim, Engine};
use super::policy_of;
use crate::Class;
use crate::catalogue::Catalogue;
use crate::config::Mode;
use crate::decision::{AcquireError, NotAdmitted};
use crate::key::ToKey;
use crate::limits::Limits;
use crate::store::local::PolicyId;

/// One class, tier or policy of a [`Limiter`](crate::Limiter), with the tokens that a request takes.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tollgate::{Class, Config, Limiter};
///
/// let limiter = Limiter::<Class>::new(&Config::default())?;
/// let exports = limiter.class(Class::Export).cost(2)?;
/// let decision = exports.peek("alice").await?;
/// assert!(decision.permitted());
/// assert_eq!((exports.name(), exports.capacity()), ("rl.export", 2));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Handle<'a, C = Class> {
    engine: Shared<'a>,
    class: C,
    policy: PolicyId,
    cost: u64,
}

/// A handle with the function that chooses its key; see [`Handle::keyed_by`].
#[derive(Clone)]
pub struct Keyed<'a, C, F> {
    handle: Handle<'a, C>,
    key: F,
}

/// A cost that no request can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cost is {given}; it must be 1 to {}", Limits::MAX_TOKENS)]
pub struct InvalidCost {
    given: u64,
}

/// An engine that is borrowed for a moment, which costs nothing, or kept.
#[derive(Clone)]
pub(super) enum Shared<'a> {
    Borrowed(&'a Arc<Engine>),
    Kept(Arc<Engine>),
}

impl<'a, C: Copy> Handle<'a, C> {
    pub(super) fn new(engine: Shared<'a>, class: C, policy: PolicyId) -> Self {
        Self { engine, class, policy, cost: 1 }
    }

    /// The same with requests that take `cost` tokens.
    ///
    /// # Errors
    ///
    /// When `cost` is 0, or above what any bucket can hold. Whether it is above what this one holds is said by each acquire,
    /// because limits may change.
    pub fn cost(self, cost: u64) -> Result<Self, InvalidCost> {
        if cost == 0 || cost > Limits::MAX_TOKENS {
            return Err(InvalidCost { given: cost });
        }
        Ok(Self { cost, ..self })
    }

    pub(super) fn with_checked_cost(self, cost: u64) -> Self {
        Self { cost, ..self }
    }

    /// The same for as long as anybody keeps it.
    #[must_use]
    pub fn into_owned(self) -> Handle<'static, C> {
        let Self { engine, class, policy, cost } = self;
        let engine = match engine {
            Shared::Borrowed(engine) => Shared::Kept(Arc::clone(engine)),
            Shared::Kept(engine) => Shared::Kept(engine),
        };
        Handle { engine, class, policy, cost }
    }

    /// The same with a function that says whose bucket a request takes from.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tollgate::{Class, Config, Limiter};
    ///
    /// struct Upload { account: u64, bytes: u64 }
    ///
    /// let limiter = Limiter::<Class>::new(&Config::default())?;
    /// let uploads = limiter.class(Class::Upload).keyed_by(|upload: &Upload| upload.account);
    /// let decision = uploads.peek(&Upload { account: 7, bytes: 1_000 }).await?;
    /// assert!(decision.permitted());
    /// # Ok(())
    /// # }
    /// ```
    pub fn keyed_by<T: ?Sized, K: ToKey, F: Fn(&T) -> K>(self, key: F) -> Keyed<'a, C, F> {
        Keyed { handle: self, key }
    }

    /// Takes the tokens from the bucket of `key`; see [`Limiter::acquire`](crate::Limiter::acquire).
    ///
    /// # Errors
    ///
    /// Never for a quota; see [`AcquireError`](crate::decision::AcquireError).
    pub fn acquire(&self, key: impl ToKey) -> Acquire<'_, C> {
        Acquire::new(&self.engine, self.class, self.claim(&key))
    }

    /// How the bucket of `key` stands, as a request of this cost would find it; takes nothing.
    ///
    /// # Errors
    ///
    /// As [`acquire`](Self::acquire).
    pub fn peek(&self, key: impl ToKey) -> Peek<'_, C> {
        Peek::new(&self.engine, self.class, self.claim(&key))
    }

    /// Gives the tokens of one request back to the bucket of `key`, at most until it is full. For a clustered class that happens in
    /// the background, and a backend that fails then keeps them.
    pub fn refund(&self, key: impl ToKey) {
        self.engine.refund(self.claim(&key));
    }

    /// Runs `action` when the tokens are there: at most once, and never again. What it returns does not matter for the
    /// bucket: nothing is refunded. Closing the limiter waits for actions that run.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tollgate::{Class, Config, Limiter};
    ///
    /// let limiter = Limiter::<Class>::new(&Config::default())?;
    /// let report = limiter.class(Class::Export).execute("alice", async || "the report").await?;
    /// assert_eq!(report, "the report");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When the action did not run; see [`NotAdmitted`].
    pub fn execute<T, F: Future<Output = T>>(
        &self,
        key: impl ToKey,
        action: impl FnOnce() -> F,
    ) -> impl Future<Output = Result<T, NotAdmitted<C>>> {
        let acquire = self.acquire(key);
        async move {
            let _running = Running::enter(&*self.engine)?;
            let _admitted = acquire.await?.admitted()?;
            Ok(action().await)
        }
    }

    /// The name of the class or policy.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.engine.label(self.policy).name
    }

    /// The limits at the moment.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.engine.live(self.policy).meter.limits
    }

    /// The most tokens that a bucket holds at the moment.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.limits().capacity()
    }

    /// Where the buckets live.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.engine.mode(self.policy)
    }

    /// Counts a guarded call until what is returned is dropped, which keeps the limiter.
    pub(crate) fn enter(&self) -> Result<Running<Arc<Engine>>, AcquireError> {
        Running::enter(match &self.engine {
            Shared::Borrowed(engine) => Arc::clone(engine),
            Shared::Kept(engine) => Arc::clone(engine),
        })
    }

    /// The same as [`acquire`](Self::acquire) for as long as the limiter of this handle is borrowed.
    #[cfg(feature = "gate")]
    pub(crate) fn acquire_of<'l>(&self, limiter: &'l Limiter<C>, key: &impl ToKey) -> Acquire<'l, C>
    where
        C: Catalogue,
    {
        Acquire::new(&limiter.engine, self.class, self.claim(key))
    }

    /// Whether a refusal would bind at the moment.
    #[cfg(feature = "gate")]
    pub(crate) fn binds(&self) -> bool {
        let live = self.engine.live(self.policy);
        live.enabled && !live.shadow
    }

    #[inline]
    fn claim(&self, key: &impl ToKey) -> Claim {
        self.engine.claim(self.policy, key, self.cost)
    }
}

impl<C: Catalogue> Handle<'_, C> {
    /// The tier of this name, whose buckets are its own. A class that has no such tier counts its callers as all others.
    #[must_use]
    pub fn tier(self, name: &str) -> Self {
        let class = self.class;
        let policy = self.engine.names.tier(class.index(), name);
        Self { policy: policy.unwrap_or_else(|| policy_of(class)), ..self }
    }
}

impl<C: Copy, F> Keyed<'_, C, F> {
    /// Takes the tokens from the bucket that `request` belongs to.
    ///
    /// # Errors
    ///
    /// Never for a quota; see [`AcquireError`](crate::decision::AcquireError).
    pub fn acquire<T: ?Sized, K: ToKey>(&self, request: &T) -> Acquire<'_, C>
    where
        F: Fn(&T) -> K,
    {
        self.handle.acquire((self.key)(request))
    }

    /// How the bucket that `request` belongs to stands; takes nothing.
    ///
    /// # Errors
    ///
    /// As [`acquire`](Self::acquire).
    pub fn peek<T: ?Sized, K: ToKey>(&self, request: &T) -> Peek<'_, C>
    where
        F: Fn(&T) -> K,
    {
        self.handle.peek((self.key)(request))
    }

    /// The handle without the function.
    #[must_use]
    pub fn handle(&self) -> &Handle<'_, C> {
        &self.handle
    }
}

impl Deref for Shared<'_> {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        match self {
            Self::Borrowed(engine) => engine,
            Self::Kept(engine) => engine,
        }
    }
}

impl<C: fmt::Debug> fmt::Debug for Handle<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut handle = f.debug_struct("Handle");
        handle.field("name", &self.engine.label(self.policy).name);
        handle.field("cost", &self.cost).finish_non_exhaustive()
    }
}

impl<C: fmt::Debug, F> fmt::Debug for Keyed<'_, C, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyed").field("handle", &self.handle).finish_non_exhaustive()
    }
}
