//! [`Decision`]: the answer of one acquire.

use std::time::Duration;

use crate::Class;
use crate::bucket::Level;
use crate::config::Mode;
use crate::limits::Limits;

/// The answer of one acquire: whether the caller may go on, and the numbers that say so.
///
/// It holds what was read and derives each number when it is asked for. Durations are exact, rounded up to
/// whole microseconds; waiting for one of them is always enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a decision limits nothing unless it is looked at"]
pub struct Decision<C = Class> {
    class: C,
    verdict: Verdict,
}

/// What a decision says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The store could not decide, and the class is closed then.
    BackendFailureClosed,
    /// The store could not decide, and the class is open then.
    BackendFailureOpen,
    /// The limiter or the class is switched off.
    Disabled,
    /// The tokens were there and are taken.
    Permitted,
    /// The tokens were not there; nothing is taken.
    QuotaExceeded,
}

/// Why a store could not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureCode {
    /// The backend answered with an error: it is read-only, out of memory, or does not accept the credentials.
    BackendRejected,
    /// There is no connection to the backend.
    BackendUnavailable,
    /// A new key found no slot in the registry of its class.
    CapacityExhausted,
    /// The backend did not answer within `ratelimit.redis.operation_timeout`.
    DeadlineExceeded,
}

/// How a decision is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// A bucket that refills at a rate up to a capacity, from which each request takes tokens.
    #[default]
    TokenBucket,
}

/// Why an acquire has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AcquireError {
    /// The limiter is closed.
    #[error("the limiter is closed; acquire before closing it")]
    Closed,
    /// No wait is long enough for this cost.
    #[error(
        "cost is {cost}, but a bucket never holds more than {capacity} tokens; \
         lower the cost or raise the capacity"
    )]
    CostAboveCapacity {
        /// The tokens asked for.
        cost: u64,
        /// The most that a bucket holds.
        capacity: u64,
    },
    /// One of several requests was made by another limiter.
    #[error("a request was made by another limiter; acquire together what one limiter counts")]
    OtherLimiter,
}

/// Why a guarded call did not run.
///
/// ```
/// use tollgate::decision::NotAdmitted;
/// use tollgate::{Class, Decision};
///
/// #[derive(Debug)]
/// enum ExportError {
///     Busy(Option<std::time::Duration>),
///     Unavailable,
/// }
///
/// impl From<NotAdmitted<Class>> for ExportError {
///     fn from(error: NotAdmitted<Class>) -> Self {
///         match error {
///             NotAdmitted::QuotaExceeded(decision) => Self::Busy(decision.retry_after()),
///             _ => Self::Unavailable,
///         }
///     }
/// }
///
/// fn export(decision: Decision) -> Result<(), ExportError> {
///     decision.admitted()?;
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotAdmitted<C = Class> {
    /// The acquire had no answer.
    #[error(transparent)]
    Acquire(#[from] AcquireError),
    /// The store could not decide, and the class is closed then.
    #[error("the store of the limits could not decide")]
    BackendFailure(Decision<C>),
    /// The tokens were not there.
    #[error("the quota is exceeded; try again in {:?}", .0.verdict.retry_after().unwrap_or_default())]
    QuotaExceeded(Decision<C>),
}

/// A decision without its class; what the engine answers for classes and for budgets that have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) mode: Mode,
    pub(crate) outcome: Outcome,
    pub(crate) enforced: bool,
    pub(crate) cost: u64,
    /// Whether the level is that of a bucket; else it only says the limits.
    pub(crate) numbers: bool,
    pub(crate) level: Level,
    pub(crate) failure: Option<FailureCode>,
    /// Another bucket, which was not full, made way for this one.
    pub(crate) evicted: bool,
}

impl<C: Copy> Decision<C> {
    pub(crate) fn new(class: C, verdict: Verdict) -> Self {
        Self { class, verdict }
    }

    #[cfg(feature = "gate")]
    pub(crate) fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The class that was asked.
    pub fn class(&self) -> C {
        self.class
    }

    /// What was decided.
    pub fn outcome(&self) -> Outcome {
        self.verdict.outcome
    }

    /// Whether the caller may go on.
    #[must_use]
    pub fn permitted(&self) -> bool {
        self.verdict.permitted()
    }

    /// The decision itself when the caller may go on, else the refusal as an error.
    ///
    /// # Errors
    ///
    /// When the decision is a refusal that binds.
    pub fn admitted(self) -> Result<Self, NotAdmitted<C>> {
        match self.outcome() {
            _ if self.permitted() => Ok(self),
            Outcome::QuotaExceeded => Err(NotAdmitted::QuotaExceeded(self)),
            _ => Err(NotAdmitted::BackendFailure(self)),
        }
    }

    /// Whether a refusal binds; not so for a class in shadow mode.
    #[must_use]
    pub fn enforced(&self) -> bool {
        self.verdict.enforced
    }

    /// Where it was decided.
    pub fn mode(&self) -> Mode {
        self.verdict.mode
    }

    /// How it was decided.
    pub fn algorithm(&self) -> Algorithm {
        Algorithm::TokenBucket
    }

    /// The limits that were decided by.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.verdict.limits()
    }

    /// The tokens that were asked for.
    #[must_use]
    pub fn cost(&self) -> u64 {
        self.verdict.cost
    }

    /// The whole tokens that are left. `None` when the decision has no numbers: disabled, failed or untracked.
    #[must_use]
    pub fn remaining(&self) -> Option<u64> {
        self.verdict.remaining()
    }

    /// The time after which the same cost is there; positive, and present only when the quota is exceeded.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.verdict.retry_after()
    }

    /// The time after which the bucket is full; zero when it is. `None` when the decision has no numbers.
    #[must_use]
    pub fn reset_after(&self) -> Option<Duration> {
        self.verdict.reset_after()
    }

    /// The time after which one more whole token is there; zero when the bucket is full. `None` when the
    /// decision has no numbers.
    #[must_use]
    pub fn next_token_after(&self) -> Option<Duration> {
        self.verdict.next_token_after()
    }

    /// Why the store could not decide.
    #[must_use]
    pub fn failure(&self) -> Option<FailureCode> {
        self.verdict.failure
    }
}

impl Verdict {
    pub(crate) fn permitted(&self) -> bool {
        self.outcome.admits() || !self.enforced
    }

    pub(crate) fn limits(&self) -> Limits {
        self.level.limits
    }

    fn numbers(&self) -> Option<&Level> {
        Some(&self.level).filter(|_| self.numbers)
    }

    pub(crate) fn remaining(&self) -> Option<u64> {
        Some(self.numbers()?.remaining())
    }

    pub(crate) fn retry_after(&self) -> Option<Duration> {
        let refused = self.outcome == Outcome::QuotaExceeded;
        Some(self.numbers().filter(|_| refused)?.until_affordable(self.cost))
    }

    pub(crate) fn reset_after(&self) -> Option<Duration> {
        Some(self.numbers()?.until_full())
    }

    pub(crate) fn next_token_after(&self) -> Option<Duration> {
        Some(self.numbers()?.until_next_token())
    }
}

impl Outcome {
    /// Whether it lets the caller go on by itself; in shadow mode every outcome does.
    #[must_use]
    pub const fn admits(self) -> bool {
        matches!(self, Self::Permitted | Self::Disabled | Self::BackendFailureOpen)
    }

    /// The outcome as it appears in events and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BackendFailureClosed => "backend-failure-closed",
            Self::BackendFailureOpen => "backend-failure-open",
            Self::Disabled => "disabled",
            Self::Permitted => "permitted",
            Self::QuotaExceeded => "quota-exceeded",
        }
    }
}

impl Algorithm {
    /// The algorithm as it appears in events.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TokenBucket => "token-bucket",
        }
    }
}

impl FailureCode {
    /// The code as it appears in events and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BackendRejected => "backend-rejected",
            Self::BackendUnavailable => "backend-unavailable",
            Self::CapacityExhausted => "capacity-exhausted",
            Self::DeadlineExceeded => "deadline-exceeded",
        }
    }
}
