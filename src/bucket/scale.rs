//! [`Scale`]: the unit that a meter counts in, how fast it counts, and for how long.

use crate::limits::{Limits, Refill};

/// How a meter counts. Nothing of it is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    /// The units of one token.
    pub(super) unit: u64,
    /// The units of one tick.
    pub(super) step: u64,
    /// The ticks, to either side of where the meter starts, within which every word fits.
    pub(super) lifetime: u64,
}

/// Limits near those that no word can count, for who has to choose others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Countable {
    /// The nearest tokens for the same period and capacity.
    pub(crate) tokens: Option<u64>,
    /// The largest capacity for the same tokens and period.
    pub(crate) capacity: Option<u64>,
}

/// An hour: with a shorter life, starting over would be work to speak of.
const SHORTEST_LIFE_MICROS: u64 = 3_600_000_000;
/// The largest word.
const LARGEST: u128 = u64::MAX as u128;

impl Scale {
    /// The scale of these limits; none when no word counts them without rounding.
    pub(super) fn of(limits: Limits) -> Option<Self> {
        // The whole period first: then other tokens in the same period count in the same unit, and nothing is rounded when
        // they are reloaded.
        let units = [limits.period_micros(), shortest_unit(limits)];
        units.into_iter().find_map(|unit| Self::in_units(limits, unit))
    }

    /// A scale for limits whose buckets are all elsewhere. What is still here from before is soon full.
    pub(super) fn of_nothing(limits: Limits) -> Self {
        let step = limits.tokens().div_ceil(ticks_per_period(limits));
        Self { unit: 1, step, lifetime: (u64::MAX - limits.capacity()) / step / 2 }
    }

    /// The scale with this multiple of the shortest unit, unless it is too fine.
    fn in_units(limits: Limits, unit: u64) -> Option<Self> {
        let step =
            u128::from(limits.tokens()) * u128::from(unit) / u128::from(ticks_per_period(limits));
        let room = LARGEST.checked_sub(u128::from(limits.capacity()) * u128::from(unit))?;
        let lifetime = low(room / step / 2);
        (lifetime >= shortest_life(limits)).then(|| Self { unit, step: low(step), lifetime })
    }
}

impl Countable {
    /// What can be counted near `limits`; none when they can be counted themselves.
    pub(crate) fn near(limits: Limits) -> Option<Self> {
        if Scale::of(limits).is_some() {
            return None;
        }
        Some(Self { tokens: nearest_tokens(limits), capacity: largest_capacity(limits) })
    }
}

/// Tokens that share a larger factor with the period need a coarser unit, so the nearest are a multiple of one of its
/// divisors.
fn nearest_tokens(limits: Limits) -> Option<u64> {
    let (tokens, period) = (limits.tokens(), limits.period_micros());
    let multiples = divisors(period).flat_map(|divisor| {
        let below = tokens / divisor * divisor;
        [below, below + divisor]
    });
    let fits = |tokens: &u64| limits.with_tokens(*tokens).is_some_and(|l| Scale::of(l).is_some());
    multiples.filter(fits).min_by_key(|other| (other.abs_diff(tokens), *other))
}

fn largest_capacity(limits: Limits) -> Option<u64> {
    let unit = u128::from(shortest_unit(limits));
    let step = u128::from(limits.tokens()) * unit / u128::from(ticks_per_period(limits));
    let room = LARGEST.checked_sub(2 * step * u128::from(shortest_life(limits)))?;
    Some(low(room / unit)).filter(|capacity| *capacity > 0)
}

fn divisors(number: u64) -> impl Iterator<Item = u64> {
    let small = (1..=number.isqrt()).filter(move |divisor| number % divisor == 0);
    small.flat_map(move |divisor| [divisor, number / divisor])
}

/// The coarsest unit of which every tick brings a whole number.
fn shortest_unit(limits: Limits) -> u64 {
    let ticks = ticks_per_period(limits);
    ticks / gcd(limits.tokens(), ticks)
}

fn shortest_life(limits: Limits) -> u64 {
    SHORTEST_LIFE_MICROS.div_ceil(limits.period_micros() / ticks_per_period(limits))
}

fn ticks_per_period(limits: Limits) -> u64 {
    match limits.refill() {
        Refill::Greedy => limits.period_micros(),
        Refill::Interval => 1,
    }
}

const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A number that is at most the largest word.
fn low(number: u128) -> u64 {
    u64::try_from(number).expect("it is at most the largest word")
}
