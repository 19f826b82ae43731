//! A long random run against exact rational arithmetic: limits, costs, refunds, reloads, clocks that jump both ways.

use std::collections::BTreeMap;
use std::time::Duration;

use tollgate::catalogue::NoClasses;
use tollgate::clock::ManualClock;
use tollgate::decision::{AcquireError, Decision};
use tollgate::limits::{Limits, Refill};
use tollgate::{Config, Limiter};

const YEAR: u64 = 31_536_000_000_000;
const KEYS: u64 = 3;

/// A policy by the book: readings and full marks are fractions of 1 / period, exact and as wide as they like.
struct Exact {
    limits: Limits,
    /// The reading at the last reload, and when that was.
    base: i128,
    since: u64,
    /// The reading at which each key's bucket is full.
    full_at: BTreeMap<u64, i128>,
}

impl Exact {
    fn period(&self) -> i128 {
        i128::try_from(self.limits.period().as_micros()).expect("a year at most")
    }

    fn capacity(&self) -> i128 {
        i128::from(self.limits.capacity()) * self.period()
    }

    /// The moment whose tokens have arrived at `now`.
    fn arrival(&self, now: u64) -> i128 {
        let now = i128::from(now);
        match self.limits.refill() {
            Refill::Greedy => now,
            Refill::Interval => now - now % self.period(),
        }
    }

    fn reading(&self, now: u64) -> i128 {
        let passed = self.arrival(now) - self.arrival(self.since);
        self.base + passed * i128::from(self.limits.tokens())
    }

    fn spent(&self, key: u64, now: u64) -> i128 {
        let reading = self.reading(now);
        let full_at = self.full_at.get(&key).copied().unwrap_or(reading);
        (full_at - reading).clamp(0, self.capacity())
    }

    fn acquire(&mut self, key: u64, cost: u64, now: u64) -> bool {
        let spent = self.spent(key, now);
        let cost = i128::from(cost) * self.period();
        let admitted = spent + cost <= self.capacity();
        let spent = spent + if admitted { cost } else { 0 };
        self.full_at.insert(key, self.reading(now) + spent);
        admitted
    }

    fn refund(&mut self, key: u64, cost: u64, now: u64) {
        if self.full_at.contains_key(&key) && cost <= self.limits.capacity() {
            let spent = self.spent(key, now) - i128::from(cost) * self.period();
            self.full_at.insert(key, self.reading(now) + spent.max(0));
        }
    }

    fn reload(&mut self, limits: Limits, now: u64) {
        if limits == self.limits {
            return;
        }
        let reading = self.reading(now);
        let most = self.capacity();
        (self.base, self.since, self.limits) = (reading, now, limits);
        let most = most.min(self.capacity());
        for full_at in self.full_at.values_mut() {
            *full_at = (*full_at).clamp(reading, reading + most);
        }
    }

    /// The microseconds until `missing` has come.
    fn until(&self, missing: i128, now: u64) -> u128 {
        if missing <= 0 {
            return 0;
        }
        let tokens = i128::from(self.limits.tokens());
        let micros = match self.limits.refill() {
            Refill::Greedy => (missing + tokens - 1) / tokens,
            Refill::Interval => {
                let a_period = tokens * self.period();
                let periods = (missing + a_period - 1) / a_period;
                periods * self.period() - (i128::from(now) - self.arrival(now))
            }
        };
        u128::try_from(micros).expect("something is missing")
    }

    fn agrees(&self, decision: Decision<()>, key: u64, cost: u64, now: u64, admitted: bool) {
        let spent = self.spent(key, now);
        let left = self.capacity() - spent;
        let micros = |duration: Option<Duration>| duration.map(|duration| duration.as_micros());
        assert_eq!(decision.limits(), self.limits);
        assert_eq!(decision.permitted(), admitted);
        assert_eq!(decision.remaining().map(i128::from), Some(left / self.period()));
        assert_eq!(micros(decision.reset_after()), Some(self.until(spent, now)));
        let next = spent.min(self.period() - left % self.period());
        assert_eq!(micros(decision.next_token_after()), Some(self.until(next, now)));
        let missing = i128::from(cost) * self.period() - left;
        let wait = (!admitted).then(|| self.until(missing, now));
        assert_eq!(micros(decision.retry_after()), wait);
    }
}

/// A small generator, so that a run is the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// All magnitudes alike.
    fn up_to(&mut self, largest: u64) -> u64 {
        let bits = 1 + self.below(u64::from(largest.ilog2()) + 1);
        (self.next() >> (64 - bits)).clamp(1, largest)
    }

    /// Limits that a meter counts exactly in the microseconds of this period.
    fn limits(&mut self, period: Duration) -> Limits {
        let micros = u64::try_from(period.as_micros()).expect("a year at most");
        let tokens = self.up_to(25_000.min(micros * 10));
        let capacity = self.up_to(Limits::MAX_TOKENS.min((1 << 61) / micros));
        let refill = if self.below(3) == 0 { Refill::Interval } else { Refill::Greedy };
        Limits::new(tokens, period, capacity).expect("within the ranges").refilled(refill)
    }
}

fn configured(limits: Limits) -> Config<NoClasses> {
    let policy = |policy: tollgate::config::PolicyBuilder| {
        let policy = policy.tokens(limits.tokens()).period(limits.period());
        policy.capacity(limits.capacity()).refill(limits.refill())
    };
    // Three keys, and no reload walks far.
    Config::builder()
        .max_tracked_keys(8)
        .policy("p", policy)
        .build()
        .expect("limits that are accepted")
}

/// A seed for [`agrees`], which is the same run on every machine then.
pub(crate) const SEED: u64 = 0x2545_F491_4F6C_DD1D;

#[test]
fn a_long_random_run_agrees_with_exact_arithmetic_on_every_number() {
    agrees(SEED, 120_000);
}

/// Compares every number of a random run; no seed is 0.
pub(crate) fn agrees(seed: u64, total: u64) {
    let mut random = Random(seed);
    let mut steps = 0;
    while steps < total {
        let period = Duration::from_micros(1_000 + random.up_to(YEAR / 12));
        let limits = random.limits(period);
        let clock = ManualClock::new();
        let mut now = YEAR + random.below(YEAR);
        clock.set(now);
        let limiter = Limiter::with_clock(&configured(limits), clock.clone()).expect("eight slots");
        let policy = limiter.policy("p").expect("the one there is");
        let mut exact = Exact { limits, base: 0, since: now, full_at: BTreeMap::new() };
        for _ in 0..1_000 {
            steps += 1;
            let capacity = exact.limits.capacity();
            let key = random.below(KEYS);
            let cost = match random.below(5) {
                0 => capacity,
                1 => 1 + random.below(capacity),
                2 => random.up_to(Limits::MAX_TOKENS),
                _ => 1,
            };
            let handle = policy.clone().cost(cost).expect("a cost in range");
            match random.below(100) {
                0..65 => match super::ready(handle.acquire(key)) {
                    Ok(decision) => {
                        let admitted = exact.acquire(key, cost, now);
                        exact.agrees(decision, key, cost, now, admitted);
                    }
                    Err(error) => {
                        assert_eq!(error, AcquireError::CostAboveCapacity { cost, capacity });
                        assert!(cost > capacity);
                    }
                },
                65..75 if cost <= capacity => {
                    let admitted = exact.spent(key, now) + i128::from(cost) * exact.period()
                        <= exact.capacity();
                    exact.agrees(
                        super::ready(handle.peek(key)).expect("a cost within the capacity"),
                        key,
                        cost,
                        now,
                        admitted,
                    );
                }
                65..80 => {
                    handle.refund(key);
                    exact.refund(key, cost, now);
                }
                80..94 => {
                    let token =
                        exact.limits.period().as_micros() / u128::from(exact.limits.tokens());
                    let token = u64::try_from(token).expect("a year at most");
                    now += match random.below(6) {
                        0 => 1,
                        1 | 2 => random.below(2 * token + 2),
                        3 => random.below(token.saturating_mul(capacity).clamp(1, YEAR)),
                        4 => random.up_to(YEAR),
                        _ => token,
                    };
                }
                94..97 => now -= random.up_to(YEAR / 8).min(now / 2),
                _ => {
                    let limits = random.limits(period);
                    limiter.reload(&configured(limits)).expect("the slots are there");
                    exact.reload(limits, now);
                }
            }
            clock.set(now);
        }
    }
}
