//! [`Limits`]: how fast a bucket refills and how much it holds.

use std::time::Duration;

/// The refill and the capacity of a bucket, checked when they are made.
///
/// Every number that follows from them is exact, at any rate and for any time. A policy in the memory of one process
/// counts a bucket in 64 bits, and its configuration refuses the few limits that need more: a capacity or a rate of
/// billions whose tokens share no factor with the period. Limits per minute are never among them.
///
/// ```
/// use std::time::Duration;
/// use tollgate::limits::{Limits, Refill};
///
/// let reads = Limits::per_minute(600, 120)?;
/// let daily = Limits::new(1_000, Duration::from_secs(86_400), 1_000)?.refilled(Refill::Interval);
/// assert_eq!((reads.quota(), reads.window_seconds()), (600, 60));
/// assert_eq!(daily.capacity(), 1_000);
/// # Ok::<(), tollgate::limits::InvalidLimits>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    tokens: u64,
    period_micros: u64,
    capacity: u64,
    refill: Refill,
}

/// When the tokens of a period arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Refill {
    /// Evenly, at every moment of the period.
    #[default]
    Greedy,
    /// All at once, when a period of the clock ends. Periods are counted from the clock's origin,
    /// so they end at the same moment for every key.
    Interval,
}

/// Limits that are outside what a bucket can count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidLimits {
    /// The burst is outside the accepted range.
    #[error("burst is {given}; it must be 1 to 4294967295")]
    Burst {
        /// The value given.
        given: u64,
    },
    /// The capacity is outside the accepted range.
    #[error("capacity is {given}; it must be 1 to 1000000000000")]
    Capacity {
        /// The value given.
        given: u64,
    },
    /// The period is outside the accepted range, or not a whole number of microseconds.
    #[error("period is {given:?}; it must be whole microseconds from 1 ms to 365 days")]
    Period {
        /// The value given.
        given: Duration,
    },
    /// The refill rate is outside the accepted range.
    #[error(
        "per_minute is {given}; it must be 1 to 600000000, which is ten million tokens a second"
    )]
    PerMinute {
        /// The value given.
        given: u64,
    },
    /// More than ten million tokens a second.
    #[error(
        "{tokens} tokens per {period:?} are more than 10000000 a second; lower the tokens or lengthen the period"
    )]
    Rate {
        /// The tokens given.
        tokens: u64,
        /// The period given.
        period: Duration,
    },
    /// The number of tokens is outside the accepted range.
    #[error("tokens is {given}; it must be 1 to 1000000000000")]
    Tokens {
        /// The value given.
        given: u64,
    },
}

impl Limits {
    /// The largest capacity, cost and number of tokens in a period.
    pub const MAX_TOKENS: u64 = 1_000_000_000_000;
    /// The fastest refill, in tokens per microsecond.
    const MAX_RATE: u64 = 10;
    const MINUTE: u64 = 60_000_000;
    const SHORTEST_PERIOD: u128 = 1_000;
    const LONGEST_PERIOD: u128 = 365 * 86_400 * 1_000_000;

    /// `per_minute` tokens a minute, continuously, up to `burst`.
    ///
    /// # Errors
    ///
    /// When either is 0, or `per_minute` is more than ten million tokens a second.
    pub const fn per_minute(per_minute: u32, burst: u32) -> Result<Self, InvalidLimits> {
        let (tokens, capacity) = (per_minute as u64, burst as u64);
        if tokens == 0 || tokens > Self::MAX_RATE * Self::MINUTE {
            return Err(InvalidLimits::PerMinute { given: tokens });
        }
        if capacity == 0 {
            return Err(InvalidLimits::Burst { given: capacity });
        }
        Ok(Self { tokens, period_micros: Self::MINUTE, capacity, refill: Refill::Greedy })
    }

    /// `tokens` every `period`, continuously, up to `capacity`.
    ///
    /// # Errors
    ///
    /// When `tokens` or `capacity` is not 1 to [`MAX_TOKENS`](Self::MAX_TOKENS), when `period` is not whole
    /// microseconds from a millisecond to 365 days, and when that is more than ten million tokens a
    /// second.
    pub const fn new(tokens: u64, period: Duration, capacity: u64) -> Result<Self, InvalidLimits> {
        if tokens == 0 || tokens > Self::MAX_TOKENS {
            return Err(InvalidLimits::Tokens { given: tokens });
        }
        if capacity == 0 || capacity > Self::MAX_TOKENS {
            return Err(InvalidLimits::Capacity { given: capacity });
        }
        let micros = period.as_micros();
        if micros < Self::SHORTEST_PERIOD
            || micros > Self::LONGEST_PERIOD
            || period.subsec_nanos() % 1_000 != 0
        {
            return Err(InvalidLimits::Period { given: period });
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most a year of microseconds")]
        let period_micros = micros as u64;
        if tokens > Self::MAX_RATE * period_micros {
            return Err(InvalidLimits::Rate { tokens, period });
        }
        Ok(Self { tokens, period_micros, capacity, refill: Refill::Greedy })
    }

    /// The same limits with this refill.
    #[must_use]
    pub const fn refilled(self, refill: Refill) -> Self {
        Self { refill, ..self }
    }

    /// The most tokens that a bucket holds.
    #[must_use]
    pub const fn capacity(self) -> u64 {
        self.capacity
    }

    /// The tokens that a bucket gains in one [`period`](Self::period).
    #[must_use]
    pub const fn tokens(self) -> u64 {
        self.tokens
    }

    /// The time in which a bucket gains [`tokens`](Self::tokens).
    #[must_use]
    pub const fn period(self) -> Duration {
        Duration::from_micros(self.period_micros)
    }

    /// When the tokens of a period arrive.
    #[must_use]
    pub const fn refill(self) -> Refill {
        self.refill
    }

    /// The window that is announced to clients: the period in seconds, rounded up.
    #[must_use]
    pub const fn window_seconds(self) -> u64 {
        self.period_micros.div_ceil(1_000_000)
    }

    /// The quota that is announced to clients: the tokens of one
    /// [`window_seconds`](Self::window_seconds), rounded down.
    #[must_use]
    pub const fn quota(self) -> u64 {
        let window = self.window_seconds() as u128 * 1_000_000;
        #[expect(clippy::cast_possible_truncation, reason = "ten a microsecond for a year at most")]
        let quota = (self.tokens as u128 * window / self.period_micros as u128) as u64;
        quota
    }

    /// The same limits with so many tokens; none when that is outside the accepted range.
    pub(crate) fn with_tokens(self, tokens: u64) -> Option<Self> {
        let limits = Self::new(tokens, self.period(), self.capacity).ok()?;
        Some(limits.refilled(self.refill))
    }

    /// Limits taken apart earlier.
    pub(crate) const fn checked_before(
        tokens: u64,
        period_micros: u64,
        capacity: u64,
        refill: Refill,
    ) -> Self {
        Self { tokens, period_micros, capacity, refill }
    }

    pub(crate) const fn period_micros(self) -> u64 {
        self.period_micros
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn what_a_bucket_cannot_count_is_refused_with_the_range() {
        assert_eq!(Limits::per_minute(0, 1), Err(InvalidLimits::PerMinute { given: 0 }));
        assert_eq!(Limits::per_minute(1, 0), Err(InvalidLimits::Burst { given: 0 }));
        assert_eq!(
            Limits::per_minute(600_000_001, 1),
            Err(InvalidLimits::PerMinute { given: 600_000_001 })
        );
        assert_eq!(Limits::new(0, SECOND, 1), Err(InvalidLimits::Tokens { given: 0 }));
        assert_eq!(Limits::new(1, SECOND, 0), Err(InvalidLimits::Capacity { given: 0 }));
        let above = Limits::MAX_TOKENS + 1;
        assert_eq!(Limits::new(above, SECOND, 1), Err(InvalidLimits::Tokens { given: above }));
        assert_eq!(Limits::new(1, SECOND, above), Err(InvalidLimits::Capacity { given: above }));
        for given in [
            Duration::ZERO,
            Duration::from_micros(999),
            Duration::from_nanos(1_000_500),
            Duration::from_secs(365 * 86_400) + Duration::from_micros(1),
            Duration::MAX,
        ] {
            assert_eq!(Limits::new(1, given, 1), Err(InvalidLimits::Period { given }));
        }
        let (tokens, period) = (10_000_001, SECOND);
        assert_eq!(Limits::new(tokens, period, 1), Err(InvalidLimits::Rate { tokens, period }));
    }

    #[test]
    fn the_ends_of_every_range_are_accepted() {
        assert!(Limits::per_minute(1, 1).is_ok());
        assert!(Limits::per_minute(600_000_000, u32::MAX).is_ok());
        assert!(Limits::new(10_000_000, SECOND, Limits::MAX_TOKENS).is_ok());
        assert!(Limits::new(10_000, Duration::from_millis(1), 1).is_ok());
        assert!(Limits::new(Limits::MAX_TOKENS, Duration::from_secs(365 * 86_400), 1).is_ok());
    }

    #[test]
    fn the_announced_window_is_the_period_rounded_up_to_seconds() {
        let announced = |tokens, micros| {
            let limits = Limits::new(tokens, Duration::from_micros(micros), 1).unwrap();
            (limits.quota(), limits.window_seconds())
        };
        assert_eq!(announced(5, 1_000_000), (5, 1));
        // 10 per 1.5 s is 13.33 in 2 s.
        assert_eq!(announced(10, 1_500_000), (13, 2));
        // 3 per 250 ms is 12 in a second.
        assert_eq!(announced(3, 250_000), (12, 1));
    }
}
