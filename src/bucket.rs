//! The arithmetic of a token bucket: pure, exact, without a clock, an atomic or a store.
//!
//! A policy has a *meter*: the tokens that its refill would have produced so far, counted in whole *units*, a fixed
//! fraction of a token. A bucket is one number, its *word*: the reading of the meter at which it is full. What is spent is
//! the distance from the meter to the word; a request moves the word up by its cost and time moves the meter.
//!
//! The unit is chosen so that the meter moves a whole number of units every microsecond. Then nothing is
//! ever rounded: a rate of 7 per minute counts in sixty-millionths of a token, 7 of them each microsecond. Only a rate
//! that needs more than about 29,000 units a microsecond (such as 1,234,567 per minute) counts in the finest unit
//! that fits, and every number is then within one such unit.
//!
//! Readings wrap around at 2^64. A word is understood as long as its bucket was touched within ten years.

use std::time::Duration;

use crate::limits::{Limits, Refill};

/// Ten years: how long a bucket may lie untouched, and how far a clock may step back.
const HORIZON_MICROS: u128 = 10 * 365 * 86_400 * 1_000_000;

/// The meter of a policy under its present limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meter {
    pub(crate) limits: Limits,
    /// The units of one token.
    pub(crate) unit: u64,
    /// The meter moves by `step` units every `every` ticks; a tick is a microsecond, or a whole period
    /// under interval refill. `every` is 1 unless the rate is too odd to count exactly.
    pub(crate) step: u64,
    pub(crate) every: u64,
    /// The tick at which the meter stood at 0.
    pub(crate) since: u64,
}

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

/// The end of a meter: what its words mean on the one that goes on from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handover {
    /// The last reading.
    pub(crate) reading: u64,
    pub(crate) unit: u64,
    /// In units.
    pub(crate) capacity: u64,
}

/// What a request makes of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Charge {
    pub(crate) admitted: bool,
    /// How the bucket stands afterwards.
    pub(crate) level: Level,
    /// The word that the bucket has afterwards. A refusal changes it only when it lay beyond the capacity.
    pub(crate) word: u64,
    /// The word lay further ahead than a full capacity: the clock stepped back, or `now` was read before the
    /// word was written.
    pub(crate) beyond: bool,
}

impl Meter {
    /// The meter of a policy that starts at `now`.
    pub(crate) fn new(limits: Limits, now: u64) -> Self {
        let unit = unit_of(limits);
        let tokens = u128::from(limits.tokens()) * u128::from(unit);
        let period = u128::from(ticks_per_period(limits));
        let common = gcd(tokens, period);
        let (step, every) = (low(tokens / common), low(period / common));
        let meter = Self { limits, unit, step, every, since: 0 };
        Self { since: meter.tick(now), ..meter }
    }

    /// The meter that goes on from this one at `now` under other limits, and what words on this one mean there.
    pub(crate) fn reloaded(&self, limits: Limits, now: u64) -> (Self, Handover) {
        let (reading, capacity) = (self.reading(now), self.capacity());
        (Self::new(limits, now), Handover { reading, unit: self.unit, capacity })
    }

    /// What a request of `cost` tokens makes of the bucket that has `word`; without one it is full.
    ///
    /// `cost` is at most [`Limits::MAX_TOKENS`]; one above the capacity is never admitted.
    #[inline]
    pub(crate) fn charge(&self, word: Option<u64>, cost: u64, now: u64) -> Charge {
        let reading = self.reading(now);
        let capacity = self.capacity();
        let ahead = word.map_or(0, |word| ahead(word, reading, capacity));
        let (spent, beyond) = (ahead.min(capacity), ahead > capacity);
        let cost = cost.saturating_mul(self.unit);
        let admitted = cost <= capacity - spent;
        let spent = if admitted { spent + cost } else { spent };
        let (level, word) = (self.level_at(spent, now), reading.wrapping_add(spent));
        Charge { admitted, level, word, beyond }
    }

    /// Gives `cost` tokens back to the bucket that has `word`, at most until it is full.
    pub(crate) fn refund(&self, word: u64, cost: u64, now: u64) -> Charge {
        let reading = self.reading(now);
        let capacity = self.capacity();
        let ahead = ahead(word, reading, capacity);
        let spent = ahead.min(capacity).saturating_sub(cost.saturating_mul(self.unit));
        let (level, word) = (self.level_at(spent, now), reading.wrapping_add(spent));
        Charge { admitted: true, level, word, beyond: ahead > capacity }
    }

    /// How the bucket that has `word` stands; without one it is full.
    #[inline]
    pub(crate) fn level(&self, word: Option<u64>, now: u64) -> Level {
        self.charge(word, 0, now).level
    }

    fn level_at(&self, spent: u64, now: u64) -> Level {
        Level { limits: self.limits, unit: self.unit, spent: spent.into(), phase: self.phase(now) }
    }

    /// The units that a full bucket holds.
    fn capacity(&self) -> u64 {
        self.limits.capacity() * self.unit
    }

    /// The meter at `now`. Both directions from `since` are right, so a clock that steps back is no special case.
    fn reading(&self, now: u64) -> u64 {
        let ticks = self.tick(now).wrapping_sub(self.since);
        if self.every == 1 {
            return ticks.wrapping_mul(self.step);
        }
        let (step, every) = (u128::from(self.step), u128::from(self.every));
        if ticks <= u64::MAX / 2 {
            low(u128::from(ticks) * step / every)
        } else {
            let back = u128::from(ticks.wrapping_neg()) * step;
            low(back.div_ceil(every)).wrapping_neg()
        }
    }

    fn tick(&self, now: u64) -> u64 {
        match self.limits.refill() {
            Refill::Greedy => now,
            Refill::Interval => now / self.limits.period_micros(),
        }
    }

    fn phase(&self, now: u64) -> u64 {
        match self.limits.refill() {
            Refill::Greedy => 0,
            Refill::Interval => now % self.limits.period_micros(),
        }
    }
}

impl Handover {
    /// The word on `next` of the bucket that had `word` on the old meter: what was spent when the limits changed is
    /// spent still, rounded up to the new unit, so that an exhausted bucket stays exhausted.
    pub(crate) fn word_on(&self, next: &Meter, word: u64) -> u64 {
        let spent = u128::from(ahead(word, self.reading, self.capacity).min(self.capacity));
        let spent = (spent * u128::from(next.unit)).div_ceil(u128::from(self.unit));
        low(spent.min(next.capacity().into()))
    }
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

/// How far `word` lies ahead of `reading`; 0 when the meter has passed it.
fn ahead(word: u64, reading: u64, capacity: u64) -> u64 {
    let ahead = word.wrapping_sub(reading);
    // The horizon fits on both sides of this border; see `finest`.
    if ahead > capacity + (u64::MAX - capacity) / 2 { 0 } else { ahead }
}

/// The unit that new buckets under `limits` count in.
fn unit_of(limits: Limits) -> u64 {
    let period = limits.period_micros();
    let shortest = low(u128::from(period) / gcd(limits.tokens().into(), period.into()));
    // The whole period first: then other tokens in the same period count in the same unit, and nothing is rounded when
    // they are reloaded.
    let finest = finest(limits);
    [period, shortest].into_iter().find(|unit| *unit <= finest).unwrap_or(finest)
}

/// The finest unit with which a capacity, and the refill of the horizon on either side of it, fit into a word.
fn finest(limits: Limits) -> u64 {
    // One period more, because those of interval refill arrive whole.
    let periods = HORIZON_MICROS / u128::from(limits.period_micros()) + 1;
    let horizon = (periods + 1) * u128::from(limits.tokens());
    low(u128::from(u64::MAX) / (u128::from(limits.capacity()) + 2 * horizon))
}

fn ticks_per_period(limits: Limits) -> u64 {
    match limits.refill() {
        Refill::Greedy => limits.period_micros(),
        Refill::Interval => 1,
    }
}

const fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The lower half; readings wrap around, everything else that comes here fits.
#[expect(clippy::cast_possible_truncation, reason = "this is what the function is for")]
const fn low(wide: u128) -> u64 {
    wide as u64
}

#[cfg(test)]
mod tests;
