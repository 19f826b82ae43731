//! [`Level`]: how a bucket stands, and the numbers that follow from it.

use std::time::Duration;

use super::Meter;
use crate::limits::{Limits, Refill};

/// How one bucket stands at one moment; every number of a decision derives from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) limits: Limits,
    pub(crate) unit: u64,
    /// In units, at most the capacity. Wide, because a shared bucket counts in the finest unit of all.
    pub(crate) spent: u128,
    /// The microseconds since the last period ended, under interval refill.
    pub(crate) phase: u64,
}

impl Level {
    /// A full bucket.
    pub(crate) fn full(meter: &Meter) -> Self {
        Self { limits: meter.limits, unit: meter.unit, spent: 0, phase: 0 }
    }

    /// The whole tokens that are left.
    pub(crate) fn remaining(&self) -> u64 {
        low(self.left() / u128::from(self.unit))
    }

    /// Whether nothing is spent.
    pub(crate) fn is_full(&self) -> bool {
        self.spent == 0
    }

    /// Whether `cost` tokens are there; `cost` is at most the capacity.
    pub(crate) fn affords(&self, cost: u64) -> bool {
        self.units(cost) <= self.left()
    }

    /// The part of the capacity that is spent, from 0 to 2^63; for a bucket of this process alone, whose units fit
    /// into a word.
    pub(crate) fn share(&self) -> u64 {
        low((self.spent << 63) / self.units(self.limits.capacity()))
    }

    /// The time until the bucket is full.
    pub(crate) fn until_full(&self) -> Duration {
        self.time_to_refill(self.spent)
    }

    /// The time until `cost` tokens are there; `cost` is at most the capacity.
    pub(crate) fn until_affordable(&self, cost: u64) -> Duration {
        self.time_to_refill(self.units(cost).saturating_sub(self.left()))
    }

    /// The time until one more whole token is there; zero when the bucket is full.
    pub(crate) fn until_next_token(&self) -> Duration {
        let unit = u128::from(self.unit);
        self.time_to_refill(self.spent.min(unit - self.left() % unit))
    }

    fn left(&self) -> u128 {
        self.units(self.limits.capacity()) - self.spent
    }

    fn units(&self, tokens: u64) -> u128 {
        u128::from(tokens) * u128::from(self.unit)
    }

    fn time_to_refill(&self, units: u128) -> Duration {
        if units == 0 {
            return Duration::ZERO;
        }
        let period = u128::from(self.limits.period_micros());
        let step = self.units(self.limits.tokens());
        let micros = match self.limits.refill() {
            // The units of a year and the microseconds of one would be too many to multiply.
            Refill::Greedy if self.unit == self.limits.period_micros() => {
                units.div_ceil(self.limits.tokens().into())
            }
            Refill::Greedy => (units * period).div_ceil(step),
            Refill::Interval => units.div_ceil(step) * period - u128::from(self.phase),
        };
        let whole = u64::try_from(micros / 1_000_000).unwrap_or(u64::MAX);
        Duration::from_secs(whole).saturating_add(Duration::from_micros(low(micros % 1_000_000)))
    }
}

/// The lower half, of what fits into it.
#[expect(clippy::cast_possible_truncation, reason = "this is what the function is for")]
const fn low(wide: u128) -> u64 {
    wide as u64
}
