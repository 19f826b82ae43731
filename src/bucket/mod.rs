//! The arithmetic of a token bucket: pure, exact, without a clock, an atomic or a store.
//!
//! A policy has a *meter*: the tokens that its refill would have produced so far, counted in whole *units*, a fixed
//! fraction of a token. A bucket is one number, its *word*: the reading of the meter at which it is full. What is spent is
//! the distance from the meter to the word; a request moves the word up by its cost and time moves the meter.
//!
//! The unit is chosen so that the meter moves a whole number of units every microsecond. Then nothing is
//! ever rounded: a rate of 7 per minute counts in sixty-millionths of a token, 7 of them each microsecond.
//!
//! A meter has room for a *lifetime* before and after the moment at which it starts. For a usual rate that is centuries,
//! for the fastest odd ones hours. When it is over the meter starts again, as it does when limits change: what is
//! spent stays spent. Limits that leave less than an hour have no meter, and are refused where they are configured.

mod level;
mod scale;

pub(crate) use level::Level;
pub(crate) use scale::Countable;
use scale::Scale;

use crate::limits::{Limits, Refill};

/// The meter of a policy under its present limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meter {
    pub(crate) limits: Limits,
    /// The units of one token.
    pub(crate) unit: u64,
    /// The units of one tick: a microsecond, or a whole period under interval refill.
    pub(crate) step: u64,
    /// The tick at which the meter stands at 0: a lifetime before it starts, or the first of all.
    pub(crate) origin: u64,
    /// The ticks from then on for which every word fits: until a lifetime after the start.
    pub(crate) span: u64,
}

/// The end of a meter: what its words mean on the one that goes on from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handover {
    /// The last reading, however far away.
    pub(crate) reading: i128,
    pub(crate) unit: u64,
    /// In units.
    pub(crate) capacity: u64,
    /// The first reading of the other meter.
    pub(crate) next: u64,
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
        let scale = Scale::of(limits).unwrap_or_else(|| Scale::of_nothing(limits));
        let Scale { unit, step, lifetime } = scale;
        let start = tick(limits, now);
        let origin = start.saturating_sub(lifetime);
        let span = start.saturating_add(lifetime) - origin;
        Self { limits, unit, step, origin, span }
    }

    /// The meter that goes on from this one at `now`, perhaps under other limits, and what words on this one mean there.
    pub(crate) fn succeeded(&self, limits: Limits, now: u64) -> (Self, Handover) {
        let meter = Self::new(limits, now);
        let (reading, capacity) = (self.exact_reading(now), self.capacity());
        let next = meter.ticks(now) * meter.step;
        (meter, Handover { reading, unit: self.unit, capacity, next })
    }

    /// Whether words can be written at `now`. Where not, the meter has to be [succeeded](Self::succeeded).
    #[inline]
    pub(crate) fn reaches(&self, now: u64) -> bool {
        self.ticks(now) <= self.span
    }

    /// Whether the meter is near one of its ends, so that it is time to let another succeed it.
    pub(crate) fn is_aged(&self, now: u64) -> bool {
        let (ticks, quarter) = (self.ticks(now), self.span / 4);
        // There is nothing before the first tick of all.
        ticks > self.span - quarter || ticks < quarter && self.origin > 0
    }

    /// What a request of `cost` tokens makes of the bucket that has `word`; without one it is full. `None` where the meter
    /// does not [reach](Self::reaches).
    ///
    /// `cost` is at most [`Limits::MAX_TOKENS`]; one above the capacity is never admitted.
    #[inline]
    pub(crate) fn charge(&self, word: Option<u64>, cost: u64, now: u64) -> Option<Charge> {
        if !self.reaches(now) {
            return None;
        }
        let reading = self.ticks(now) * self.step;
        let capacity = self.capacity();
        let ahead = word.map_or(0, |word| word.saturating_sub(reading));
        let (spent, beyond) = (ahead.min(capacity), ahead > capacity);
        let cost = cost.saturating_mul(self.unit);
        let admitted = cost <= capacity - spent;
        let spent = if admitted { spent + cost } else { spent };
        let (level, word) = (self.level_at(spent, now), reading + spent);
        Some(Charge { admitted, level, word, beyond })
    }

    /// Gives `cost` tokens back to the bucket that has `word`, at most until it is full. `None` where the meter does not
    /// [reach](Self::reaches).
    pub(crate) fn refund(&self, word: u64, cost: u64, now: u64) -> Option<Charge> {
        if !self.reaches(now) {
            return None;
        }
        let reading = self.ticks(now) * self.step;
        let capacity = self.capacity();
        let ahead = word.saturating_sub(reading);
        let spent = ahead.min(capacity).saturating_sub(cost.saturating_mul(self.unit));
        let (level, word) = (self.level_at(spent, now), reading + spent);
        Some(Charge { admitted: true, level, word, beyond: ahead > capacity })
    }

    /// How the bucket that has `word` stands at any time; without one it is full.
    pub(crate) fn level(&self, word: Option<u64>, now: u64) -> Level {
        let spent = word.map_or(0, |word| spent(word, self.exact_reading(now), self.capacity()));
        self.level_at(spent, now)
    }

    #[inline]
    fn level_at(&self, spent: u64, now: u64) -> Level {
        Level { limits: self.limits, unit: self.unit, spent: spent.into(), phase: self.phase(now) }
    }

    /// The units that a full bucket holds.
    #[inline]
    fn capacity(&self) -> u64 {
        self.limits.capacity() * self.unit
    }

    /// The meter at `now`, also beyond its reach.
    fn exact_reading(&self, now: u64) -> i128 {
        let ticks = i128::from(tick(self.limits, now)) - i128::from(self.origin);
        ticks * i128::from(self.step)
    }

    /// The ticks since the meter stood at 0; before that more than its span.
    #[inline]
    fn ticks(&self, now: u64) -> u64 {
        tick(self.limits, now).wrapping_sub(self.origin)
    }

    #[inline]
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
        let spent = u128::from(spent(word, self.reading, self.capacity));
        let spent = (spent * u128::from(next.unit)).div_ceil(u128::from(self.unit));
        let spent = u64::try_from(spent).unwrap_or(u64::MAX).min(next.capacity());
        self.next + spent
    }
}

#[inline]
fn tick(limits: Limits, now: u64) -> u64 {
    match limits.refill() {
        Refill::Greedy => now,
        Refill::Interval => now / limits.period_micros(),
    }
}

/// How far `word` lies ahead of `reading`, from 0 when the meter has passed it to the capacity.
fn spent(word: u64, reading: i128, capacity: u64) -> u64 {
    let ahead = (i128::from(word) - reading).clamp(0, capacity.into());
    u64::try_from(ahead).unwrap_or(capacity)
}

#[cfg(test)]
mod tests;
