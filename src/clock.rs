//! [`Clock`]: where a limiter takes its time from.

#[cfg(feature = "tsc")]
mod tsc;

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[cfg(feature = "tsc")]
pub use tsc::TscClock;

use crate::sync::{AtomicU64, Ordering};

/// A source of time in whole microseconds.
///
/// Only differences matter, and the ends of periods under [`Refill::Interval`](crate::limits::Refill::Interval),
/// which are counted from the clock's origin. A clock should not go backwards; when it does, no limit is
/// exceeded and no bucket waits longer than it takes to fill.
///
/// A limiter may read its clock while it holds a lock of its own, so a clock must neither block nor use a limiter.
pub trait Clock: Send + Sync {
    /// The microseconds since the clock's origin.
    fn now(&self) -> u64;
}

/// The machine's clock: it starts at the Unix time of its making and from there runs monotonically, so
/// that a corrected system time moves no limit.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    started: Instant,
    origin: u64,
}

/// A clock that moves only when it is told to; its clones show the same time.
///
/// ```
/// use std::time::Duration;
/// use tollgate::clock::{Clock, ManualClock};
///
/// let clock = ManualClock::new();
/// clock.advance(Duration::from_millis(2));
/// assert_eq!(clock.now(), 2_000);
/// ```
#[derive(Clone, Default)]
pub struct ManualClock {
    micros: Arc<AtomicU64>,
}

/// The clock of a limiter. The machine's are called directly, which is a tenth of what a decision takes besides them.
#[derive(Clone)]
pub(crate) enum Time {
    System(SystemClock),
    #[cfg(feature = "tsc")]
    Cycles(TscClock),
    Other(Arc<dyn Clock>),
}

impl Time {
    pub(crate) fn new(clock: impl Clock + 'static) -> Self {
        let any: &dyn Any = &clock;
        #[cfg(feature = "tsc")]
        if let Some(clock) = any.downcast_ref::<TscClock>() {
            return Self::Cycles(clock.clone());
        }
        match any.downcast_ref::<SystemClock>() {
            Some(clock) => Self::System(*clock),
            None => Self::Other(Arc::new(clock)),
        }
    }
}

impl Clock for Time {
    #[inline]
    fn now(&self) -> u64 {
        match self {
            Self::System(clock) => clock.now(),
            #[cfg(feature = "tsc")]
            Self::Cycles(clock) => clock.now(),
            Self::Other(clock) => clock.now(),
        }
    }
}

impl SystemClock {
    /// A clock that starts now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine")]
    pub fn new() -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { started: Instant::now(), origin: whole_micros(since_epoch) }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    #[inline]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine")]
    fn now(&self) -> u64 {
        let elapsed = Instant::now().saturating_duration_since(self.started);
        self.origin.wrapping_add(whole_micros(elapsed))
    }
}

impl ManualClock {
    /// A clock at its origin.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves the clock forward by `step`, in whole microseconds.
    pub fn advance(&self, step: Duration) {
        self.micros.fetch_add(whole_micros(step), Ordering::AcqRel);
    }

    /// Moves the clock to `micros` microseconds after its origin, also backwards.
    pub fn set(&self, micros: u64) {
        self.micros.store(micros, Ordering::Release);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> u64 {
        self.micros.load(Ordering::Acquire)
    }
}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManualClock").field("micros", &self.now()).finish()
    }
}

impl<T: Clock + ?Sized> Clock for Arc<T> {
    fn now(&self) -> u64 {
        (**self).now()
    }
}

fn whole_micros(duration: Duration) -> u64 {
    duration.as_secs().wrapping_mul(1_000_000).wrapping_add(u64::from(duration.subsec_micros()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_clock_counts_from_the_unix_epoch_and_never_goes_back() {
        let clock = SystemClock::new();
        let readings: Vec<u64> = (0..1_000).map(|_| clock.now()).collect();
        assert!(readings.is_sorted());
        // 2020-01-01 lies behind, 2200-01-01 ahead.
        assert!(readings[0] > 1_577_836_800_000_000 && readings[999] < 7_258_118_400_000_000);
    }

    #[test]
    fn clones_of_a_manual_clock_show_the_same_time() {
        let clock = ManualClock::new();
        let clone = clock.clone();
        clock.set(5);
        clone.advance(Duration::from_micros(2));
        assert_eq!((clock.now(), clone.now()), (7, 7));
    }
}
