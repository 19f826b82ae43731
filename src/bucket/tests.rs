use std::time::Duration;

use proptest::prelude::*;

use super::{Level, Meter, finest};
use crate::limits::{Limits, Refill};

/// A bucket as the definition has it: tokens, and when they were counted last. Tokens are in fractions of
/// 1 / period, which is exact; time only moves forward.
#[derive(Clone, Copy, Debug)]
struct Exact {
    limits: Limits,
    tokens: u128,
    counted: u64,
}

impl Exact {
    fn full(limits: Limits, now: u64) -> Self {
        let mut full = Self { limits, tokens: 0, counted: 0 };
        full.tokens = full.capacity();
        full.counted = full.arrival(now);
        full
    }

    fn period(&self) -> u128 {
        self.limits.period().as_micros()
    }

    fn capacity(&self) -> u128 {
        u128::from(self.limits.capacity()) * self.period()
    }

    fn arrival(&self, now: u64) -> u64 {
        let period = u64::try_from(self.period()).unwrap();
        if self.limits.refill() == Refill::Interval { now / period * period } else { now }
    }

    fn at(mut self, now: u64) -> Self {
        let arrived = self.arrival(now);
        let gained = u128::from(arrived - self.counted) * u128::from(self.limits.tokens());
        self.tokens = self.capacity().min(self.tokens + gained);
        self.counted = arrived;
        self
    }

    fn take(&mut self, cost: u64, now: u64) -> bool {
        *self = self.at(now);
        let cost = u128::from(cost) * self.period();
        let admitted = cost <= self.tokens;
        self.tokens -= if admitted { cost } else { 0 };
        admitted
    }

    fn remaining(&self) -> u64 {
        u64::try_from(self.tokens / self.period()).unwrap()
    }

    /// The microseconds from `now` until this many fractions are there.
    fn until(&self, fractions: u128, now: u64) -> u128 {
        let missing = fractions.saturating_sub(self.tokens);
        if missing == 0 {
            return 0;
        }
        let tokens = u128::from(self.limits.tokens());
        if self.limits.refill() == Refill::Interval {
            missing.div_ceil(tokens * self.period()) * self.period()
                - u128::from(now - self.arrival(now))
        } else {
            missing.div_ceil(tokens)
        }
    }
}

fn limits(tokens: u64, period: Duration, capacity: u64) -> Limits {
    Limits::new(tokens, period, capacity).unwrap()
}

fn micros(duration: Duration) -> u128 {
    duration.as_micros()
}

/// All magnitudes alike.
fn magnitude(largest: u64) -> impl Strategy<Value = u64> {
    let bits = u64::BITS - largest.leading_zeros();
    (1..=bits, any::<u64>())
        .prop_map(move |(bits, random)| (random >> (u64::BITS - bits)).clamp(1, largest))
}

fn any_limits() -> impl Strategy<Value = Limits> {
    const YEAR: u64 = 365 * 86_400 * 1_000_000;
    let period = magnitude(YEAR).prop_map(|micros| micros.max(1_000));
    (magnitude(Limits::MAX_TOKENS), period, magnitude(Limits::MAX_TOKENS), any::<bool>()).prop_map(
        |(tokens, period, capacity, interval)| {
            let tokens = tokens.min(period * 10);
            let refill = if interval { Refill::Interval } else { Refill::Greedy };
            limits(tokens, Duration::from_micros(period), capacity).refilled(refill)
        },
    )
}

/// Steps in time that matter for these limits: from nothing to years, but mostly about one token or one bucket.
fn steps() -> impl Strategy<Value = Vec<(u8, u64, u64)>> {
    prop::collection::vec((0..8_u8, any::<u64>(), any::<u64>()), 1..40)
}

fn step_micros(limits: Limits, kind: u8, random: u64) -> u64 {
    let token = limits.period().as_micros() / u128::from(limits.tokens());
    let span: u128 = match kind {
        0 | 1 => return 0,
        2 => return 1,
        3 | 4 => 2 * token + 1,
        5 => limits.period().as_micros() * 2,
        6 => token * u128::from(limits.capacity()) + 1,
        // A year.
        _ => 31_536_000_000_000,
    };
    random % u64::try_from(span.min(31_536_000_000_000)).unwrap()
}

fn cost_of(limits: Limits, random: u64) -> u64 {
    match random % 4 {
        0 => limits.capacity(),
        1 => 1 + random % limits.capacity(),
        _ => 1,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// The whole range of limits: where the meter counts exactly, every number is the exact one; elsewhere the bucket is
    /// within one unit of it for every segment, and waiting as told is enough.
    #[test]
    fn every_number_is_the_exact_rational_one(
        limits in any_limits(),
        start in 0..4_000_000_000_000_000_u64,
        steps in steps(),
    ) {
        let meter = Meter::new(limits, start);
        let exactly = meter.every == 1;
        let (mut word, mut exact, mut now) = (None, Exact::full(limits, start), start);
        for (kind, time, cost) in steps {
            now += step_micros(limits, kind, time);
            let cost = cost_of(limits, cost);
            let charge = meter.charge(word, cost, now);
            prop_assert!(!charge.beyond);
            word = Some(charge.word);
            if exactly {
                let admitted = exact.take(cost, now);
                prop_assert_eq!(charge.admitted, admitted);
                prop_assert_eq!(charge.level.remaining(), exact.remaining());
                let full = exact.until(exact.capacity(), now);
                prop_assert_eq!(micros(charge.level.until_full()), full);
                let next = u128::from(exact.remaining() + 1) * exact.period();
                let next = exact.until(next.min(exact.capacity()), now);
                prop_assert_eq!(micros(charge.level.until_next_token()), next);
                if !admitted {
                    let wait = exact.until(u128::from(cost) * exact.period(), now);
                    prop_assert_eq!(micros(charge.level.until_affordable(cost)), wait);
                }
            }
            if !charge.admitted {
                let wait = u64::try_from(micros(charge.level.until_affordable(cost)));
                let Ok(wait) = wait else { continue };
                prop_assert!(wait > 0);
                if wait < 300_000_000_000_000 {
                    prop_assert!(meter.charge(word, cost, now + wait).admitted);
                }
                if exactly {
                    prop_assert!(!meter.charge(word, cost, now + (wait - 1).min(1 << 40)).admitted);
                }
            }
        }
    }

    /// Rates that no meter counts exactly differ by less than two units, however long they run.
    #[test]
    fn an_odd_rate_stays_within_its_unit_for_years(
        tokens in 30_000_001..600_000_000_u64,
        capacity in 1..1_000_000_u64,
        steps in prop::collection::vec((0..31_536_000_000_000_u64, 1..1_000_u64), 1..9),
    ) {
        let limits = limits(tokens, Duration::from_secs(60), capacity);
        let meter = Meter::new(limits, 0);
        prop_assume!(meter.every != 1);
        prop_assert!(meter.unit >= 2_000);
        let (mut word, mut exact, mut now) = (None, Exact::full(limits, 0), 0);
        for (idle, costs) in steps {
            now += idle;
            for _ in 0..costs {
                now += 3;
                exact = exact.at(now);
                let charge = meter.charge(word, 1, now);
                word = Some(charge.word);
                if charge.admitted {
                    // At most two units too early.
                    let lacking = exact.period().saturating_sub(exact.tokens);
                    prop_assert!(lacking * u128::from(meter.unit) <= 2 * exact.period());
                    exact.tokens = exact.tokens.saturating_sub(exact.period());
                } else {
                    prop_assert!(exact.tokens < exact.period());
                }
            }
        }
    }

    #[test]
    fn every_rate_per_minute_up_to_29000_counts_exactly(rate in 1..=29_000_u32, burst in 1..=1_000_000_000_u32) {
        let limits = Limits::per_minute(rate, burst).unwrap();
        prop_assert_eq!(Meter::new(limits, 0).every, 1);
    }

    #[test]
    fn a_word_has_room_for_the_capacity_and_ten_years_on_either_side(limits in any_limits()) {
        const TEN_YEARS: u64 = 10 * 31_536_000_000_000;
        let now = 2 * TEN_YEARS;
        let meter = Meter::new(limits, now);
        prop_assert!(meter.unit >= 1 && meter.unit <= finest(limits));
        let word = Some(meter.charge(None, limits.capacity(), now).word);
        // Back: exhausted, and cut to the capacity.
        let back = meter.charge(word, 1, now - TEN_YEARS);
        prop_assert!(!back.admitted && back.level.remaining() == 0);
        // Ahead: the meter has moved ten years, whatever that is.
        let gained = u128::from(limits.tokens()) * u128::from(TEN_YEARS) / limits.period().as_micros();
        let least = u64::try_from(gained.min(limits.capacity().into())).unwrap().saturating_sub(limits.tokens());
        prop_assert!(meter.level(word, now + TEN_YEARS).remaining() >= least);
    }

    /// What is spent when limits change is spent afterwards, at most the new capacity, whichever way the change is made.
    #[test]
    fn spent_tokens_stay_spent_under_other_limits(
        before in any_limits(),
        after in any_limits(),
        cost in any::<u64>(),
        later in 0..1_000_000_000_u64,
    ) {
        let old = Meter::new(before, 5);
        let cost = cost_of(before, cost);
        let word = old.charge(None, cost, 5).word;
        let now = 5 + later;
        let spent = before.capacity() - old.level(Some(word), now).remaining();

        let (new, handover) = old.reloaded(after, now);
        let word = handover.word_on(&new, word);
        let left = new.level(Some(word), now).remaining();
        prop_assert_eq!(left, after.capacity().saturating_sub(spent));
    }
}

#[test]
fn the_worst_capacity_and_the_slowest_rate_do_not_wrap() {
    // FAULTS 16: 2^32 - 1 tokens at one an hour.
    let hour = 3_600_000_000;
    let meter = Meter::new(limits(1, Duration::from_secs(3_600), u64::from(u32::MAX)), 0);
    let drained = meter.charge(None, u64::from(u32::MAX), 0);
    assert!(drained.admitted && drained.level.remaining() == 0);
    assert_eq!(drained.level.until_full(), Duration::from_secs(3_600 * u64::from(u32::MAX)));
    let word = Some(drained.word);
    assert!(!meter.charge(word, 1, hour - 1).admitted);
    assert!(meter.charge(word, 1, hour).admitted);
    assert_eq!(meter.level(word, 24 * hour + 1).remaining(), 24);
}

#[test]
fn seven_hundred_thousand_a_second_is_not_a_million() {
    // FAULTS 16, at a rate that is accepted here: 0.7 tokens a microsecond.
    let meter = Meter::new(limits(700_000, Duration::from_secs(1), 10), 0);
    let word = Some(meter.charge(None, 10, 0).word);
    assert_eq!(meter.level(word, 1).remaining(), 0);
    assert_eq!(meter.level(word, 2).remaining(), 1);
    assert_eq!(meter.level(word, 10).remaining(), 7);
}

#[test]
fn a_wait_beyond_all_time_is_the_longest_duration() {
    const YEAR: Duration = Duration::from_secs(365 * 86_400);
    let meter = Meter::new(limits(1, YEAR, Limits::MAX_TOKENS), 0);
    let level: Level = meter.charge(None, Limits::MAX_TOKENS, 0).level;
    assert_eq!(level.until_full().as_secs(), u64::MAX);
    assert_eq!(level.until_affordable(1), YEAR);
}

#[test]
fn a_change_of_limits_in_one_period_rounds_nothing() {
    let per_minute = |rate, burst| Limits::per_minute(rate, burst).unwrap();
    let old = Meter::new(per_minute(600, 120), 0);
    let word = old.charge(None, 120, 0).word;
    // One second and one microsecond refill 10.00001 tokens; then the rate is 7 a minute.
    let (new, handover) = old.reloaded(per_minute(7, 120), 1_000_001);
    let word = handover.word_on(&new, word);
    // 0.99999 tokens at 7 in 60,000,000 us.
    assert_eq!(
        new.level(Some(word), 1_000_001).until_next_token(),
        Duration::from_micros(8_571_343)
    );
    assert_eq!(new.level(Some(word), 1_000_001 + 8_571_342).remaining(), 10);
    assert_eq!(new.level(Some(word), 1_000_001 + 8_571_343).remaining(), 11);
}
