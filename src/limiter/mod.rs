//! [`Limiter`]: the buckets of a catalogue's classes, shared by everything that asks for tokens.

mod acquire;
#[cfg(feature = "gate")]
mod budget;
mod engine;
mod handle;
#[cfg(feature = "gate")]
mod receipt;
#[cfg(feature = "tokio")]
mod run;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

pub use acquire::Acquire;
#[cfg(feature = "gate")]
pub(crate) use budget::Budget;
pub(crate) use engine::Engine;
pub use handle::{ClassLimiter, InvalidCost};
#[cfg(feature = "gate")]
pub(crate) use receipt::Receipts;

use crate::Class;
use crate::catalogue::Catalogue;
use crate::clock::{Clock, SystemClock};
use crate::config::{ClassConfig, Config};
use crate::decision::{AcquireError, Decision};
use crate::key::ToKey;
use crate::store::local::{Live, Policies, PolicyId, Table};

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
    catalogue: PhantomData<fn() -> C>,
}

/// A limiter that cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The memory for the buckets is not to be had.
    #[error(
        "max_tracked_keys is {slots}, and the {} bytes for them cannot be allocated; lower it",
        u128::from(*slots) * 16
    )]
    OutOfMemory {
        /// The slots asked for.
        slots: u64,
    },
    /// More classes, tiers, budgets and policies than there are numbers for.
    #[error("there are more than {} classes, tiers, budgets and policies", Policies::MOST)]
    TooManyPolicies,
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
        let slots = config.max_tracked_keys;
        let out_of_memory = || StartError::OutOfMemory { slots };
        let table = usize::try_from(slots).map_err(|_| out_of_memory())?;
        let table = Table::new(table.max(1)).map_err(|_| out_of_memory())?;
        let engine = Engine::new(table, config.sweep_interval, Box::new(clock));
        for class in &config.classes {
            let start = |now| configured(Live::new(class.limits, now), config, class);
            engine.add(start).ok_or(StartError::TooManyPolicies)?;
        }
        Ok(Self { engine: Arc::new(engine), catalogue: PhantomData })
    }

    /// Changes the limits and switches of all classes while they are in use. Spent tokens stay spent, at most as many as
    /// the new capacity. The number of slots and the sweep interval stay as they were at the start.
    pub fn reload(&self, config: &Config<C>) {
        for (class, settings) in C::ALL.iter().zip(&config.classes) {
            self.engine.replace(policy_of(*class), |live, now| {
                configured(live.reloaded(settings.limits, now), config, settings)
            });
        }
    }

    /// Takes one token from the bucket of `key` in `class`.
    ///
    /// The key is hashed at once and not kept; the token is taken when the future is first polled, and it never waits. A new key
    /// has a full bucket. A refusal takes nothing.
    ///
    /// # Errors
    ///
    /// Never for a quota; see [`AcquireError`].
    pub fn acquire(&self, class: C, key: impl ToKey) -> Acquire<'_, C> {
        self.class(class).into_acquire(&key)
    }

    /// How the bucket of `key` in `class` stands, as a request of one token would find it; takes nothing.
    ///
    /// # Errors
    ///
    /// As [`acquire`](Self::acquire).
    pub fn peek(&self, class: C, key: impl ToKey) -> Result<Decision<C>, AcquireError> {
        self.class(class).peek(key)
    }

    /// A handle on one class, for requests that cost more than one token.
    #[must_use]
    pub fn class(&self, class: C) -> ClassLimiter<'_, C> {
        ClassLimiter::new(&self.engine, class)
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

impl<C: Catalogue> Clone for Limiter<C> {
    fn clone(&self) -> Self {
        Self { engine: Arc::clone(&self.engine), catalogue: PhantomData }
    }
}

impl<C: Catalogue> fmt::Debug for Limiter<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limiter").field("engine", &self.engine).finish_non_exhaustive()
    }
}

/// `live` with the switches of its class.
fn configured<C: Catalogue>(mut live: Live, config: &Config<C>, class: &ClassConfig) -> Live {
    live.enabled = config.enabled && class.enabled;
    live.shadow = class.shadow;
    live
}

/// The policy of a class: classes are added first and in order, and numbers start at 1.
#[inline]
fn policy_of<C: Catalogue>(class: C) -> PolicyId {
    let index =
        u16::try_from(class.index() + 1).expect("a limiter numbers all classes at its start");
    PolicyId::from_index(index)
}
