//! [`Limits`]: how fast a bucket refills and how much it holds.

use std::time::Duration;

/// The refill and the capacity of a bucket, checked when they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    tokens: u64,
    period_micros: u64,
    capacity: u64,
}

/// Limits that cannot be represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidLimits {
    /// The refill rate is outside the accepted range.
    #[error("per_minute is {given}; it must be 1 to 4294967295")]
    PerMinute {
        /// The value given.
        given: u64,
    },
    /// The burst is outside the accepted range.
    #[error("burst is {given}; it must be 1 to 4294967295")]
    Burst {
        /// The value given.
        given: u64,
    },
}

impl Limits {
    /// `per_minute` tokens a minute, continuously, up to `burst`.
    ///
    /// # Errors
    ///
    /// When either is 0.
    pub const fn per_minute(per_minute: u32, burst: u32) -> Result<Self, InvalidLimits> {
        if per_minute == 0 {
            return Err(InvalidLimits::PerMinute { given: 0 });
        }
        if burst == 0 {
            return Err(InvalidLimits::Burst { given: 0 });
        }
        Ok(Self { tokens: per_minute as u64, period_micros: 60_000_000, capacity: burst as u64 })
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
}
