//! [`Observer`]: what happens in a limiter, told to those who count it.
//!
//! Events name classes, budgets and policies, never a key, an address or an identity.

mod list;
#[cfg(feature = "metrics")]
mod metrics;
#[cfg(any(feature = "metrics", feature = "opentelemetry"))]
mod names;
#[cfg(feature = "opentelemetry")]
mod opentelemetry;
mod tracing;

use std::time::Duration;

use crate::config::Mode;
use crate::decision::{Algorithm, FailureCode, Outcome};
pub(crate) use list::Observers;
#[cfg(feature = "metrics")]
pub use metrics::MetricsObserver;
#[cfg(feature = "opentelemetry")]
pub use opentelemetry::OpenTelemetryObserver;
pub use tracing::TracingObserver;

/// Somebody who is told of every decision.
///
/// It is called at once, by the thread that decided, while no lock is held: it should be quick. When it panics, the
/// decision stands and the panic ends there.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use tollgate::observe::{DecisionEvent, Observer};
/// use tollgate::{Class, Config, Limiter};
///
/// #[derive(Default)]
/// struct Refusals(AtomicU64);
///
/// impl Observer for Refusals {
///     fn decided(&self, event: &DecisionEvent<'_>) {
///         if !event.permitted() {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
///
/// let refusals = Arc::new(Refusals::default());
/// let limiter = Limiter::<Class>::new(&Config::default())?;
/// limiter.observe(Arc::clone(&refusals));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observer: Send + Sync {
    /// A decision was made.
    fn decided(&self, event: &DecisionEvent<'_>);

    /// The buckets were swept; by [`Limiter::run`](crate::Limiter::run), once every sweep interval.
    fn swept(&self, event: &SweepEvent) {
        let _ = event;
    }
}

/// A decision, without anything that says whose.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DecisionEvent<'a> {
    /// The class, budget or policy.
    pub class: &'a str,
    /// The tier, when the caller has one.
    pub tier: Option<&'a str>,
    /// The revision of the class or policy.
    pub revision: Option<&'a str>,
    /// Where it was decided.
    pub mode: Mode,
    /// How it was decided.
    pub algorithm: Algorithm,
    /// What was decided.
    pub outcome: Outcome,
    /// Whether a refusal binds; not so in shadow mode.
    pub enforced: bool,
    /// The tokens that were asked for.
    pub cost: u64,
    /// The most that a bucket holds.
    pub capacity: u64,
    /// The whole tokens that are left, when the decision has numbers.
    pub remaining: Option<u64>,
    /// The time until the same cost is there, when the quota is exceeded.
    pub retry_after: Option<Duration>,
    /// The time until the bucket is full, when the decision has numbers.
    pub reset_after: Option<Duration>,
    /// Why the store could not decide.
    pub failure: Option<FailureCode>,
    /// Whether the bucket of another key, which was not full, made way.
    pub evicted: bool,
    /// How long the shared backend took; none for a local decision.
    pub backend_latency: Option<Duration>,
}

/// What a sweep found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SweepEvent {
    /// The full buckets whose fingerprints were erased.
    pub erased: u64,
    /// The buckets that are not full.
    pub tracked: u64,
}

impl DecisionEvent<'_> {
    /// Whether the caller may go on.
    #[must_use]
    pub fn permitted(&self) -> bool {
        self.outcome.admits() || !self.enforced
    }
}

impl<T: Observer + ?Sized> Observer for std::sync::Arc<T> {
    fn decided(&self, event: &DecisionEvent<'_>) {
        (**self).decided(event);
    }

    fn swept(&self, event: &SweepEvent) {
        (**self).swept(event);
    }
}
