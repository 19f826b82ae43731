//! A long random run against exact rational arithmetic: every limit that is accepted, costs, refunds, reloads, sweeps, clocks
//! that jump by centuries and step back.

use std::collections::BTreeMap;
use std::time::Duration;

use tollgate::catalogue::NoClasses;
use tollgate::clock::ManualClock;
use tollgate::config::Faults;
use tollgate::decision::{AcquireError, Decision};
use tollgate::limits::{Limits, Refill};
use tollgate::{Config, Limiter};

const HOUR: i128 = 3_600_000_000;
const YEAR: u64 = 31_536_000_000_000;
const KEYS: u64 = 3;

/// How buckets of these limits are counted, by the book.
#[derive(Clone, Copy)]
struct Count {
    /// The parts of a token: as many as its period has microseconds when a capacity and two hours of refill in such parts stay
    /// below 2^64, else as few as a microsecond brings a whole number of.
    parts: i128,
    /// The ticks before and after its start for which there is room.
    lifetime: i128,
}

impl Count {
    /// None for limits that are refused.
    fn of(limits: Limits) -> Option<Self> {
        let period = i128::try_from(limits.period().as_micros()).expect("a year at most");
        let (ticks, hour) = match limits.refill() {
            Refill::Greedy => (period, HOUR),
            Refill::Interval => (1, (HOUR + period - 1) / period),
        };
        let tokens = i128::from(limits.tokens());
        let count = |parts| {
            let room = i128::from(u64::MAX) - i128::from(limits.capacity()) * parts;
            Self { parts, lifetime: room.max(0) / (tokens * parts / ticks) / 2 }
        };
        let candidates = [count(period), count(ticks / common(ticks, tokens))];
        candidates.into_iter().find(|count| count.lifetime >= hour)
    }
}

fn common(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { common(b, a % b) }
}

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

    /// Where a clock can step back: whoever takes or gives beyond the lifetime of the count lets it start again, as other limits
    /// do. While time only goes forward nobody can tell.
    fn start_again_if_due(&mut self, now: u64) {
        let tick = |now| match self.limits.refill() {
            Refill::Greedy => i128::from(now),
            Refill::Interval => i128::from(now) / self.period(),
        };
        let ticks = tick(now) - tick(self.since);
        if ticks.abs() > Count::of(self.limits).expect("accepted limits").lifetime {
            self.go_on_under(self.limits, now);
        }
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
        if limits != self.limits {
            self.go_on_under(limits, now);
        }
    }

    /// What is spent stays spent, rounded up to what the new limits can count, and at most their capacity.
    fn go_on_under(&mut self, limits: Limits, now: u64) {
        let spent: Vec<_> = self.full_at.keys().map(|key| (*key, self.spent(*key, now))).collect();
        let before = self.period();
        (self.base, self.since, self.limits) = (0, now, limits);
        let parts = Count::of(limits).expect("accepted limits").parts;
        for (key, spent) in spent {
            // Cut to the capacity first, or the product could be more than 127 bits hold.
            let most = i128::from(self.limits.capacity()) * parts;
            let spent = ((spent * parts + before - 1) / before).min(most);
            self.full_at.insert(key, spent * self.period() / parts);
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

    /// Any limits that have a meaning, also such as are refused.
    fn limits(&mut self) -> Limits {
        let period = match self.below(4) {
            0 => 1_000_000,
            1 => 60_000_000,
            _ => self.up_to(YEAR).max(1_000),
        };
        let tokens = match self.below(4) {
            // Nearly the fastest there is.
            0 => (period * 10 - self.below(period)).min(Limits::MAX_TOKENS),
            _ => self.up_to(Limits::MAX_TOKENS.min(period * 10)),
        };
        let capacity = self.up_to(Limits::MAX_TOKENS);
        let refill = if self.below(3) == 0 { Refill::Interval } else { Refill::Greedy };
        let limits = Limits::new(tokens, Duration::from_micros(period), capacity);
        limits.expect("within the ranges").refilled(refill)
    }

    /// Limits that are accepted, with their configuration.
    fn accepted(&mut self) -> (Limits, Config<NoClasses>) {
        loop {
            let limits = self.limits();
            // A fault says which limits are near, and that takes a while to find out.
            if Count::of(limits).is_some() {
                return (limits, configured(limits).expect("limits that can be counted"));
            } else if self.below(30) == 0 {
                assert!(configured(limits).is_err(), "{limits:?}");
            }
        }
    }
}

fn configured(limits: Limits) -> Result<Config<NoClasses>, Faults> {
    let policy = |policy: tollgate::config::PolicyBuilder| {
        let policy = policy.tokens(limits.tokens()).period(limits.period());
        policy.capacity(limits.capacity()).refill(limits.refill())
    };
    // Three keys, and no reload walks far.
    Config::builder().max_tracked_keys(8).policy("p", policy).build()
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
        let (limits, config) = random.accepted();
        let clock = ManualClock::new();
        let mut now = YEAR + random.below(YEAR);
        clock.set(now);
        let steps_back = random.below(2) == 0;
        let limiter = Limiter::with_clock(&config, clock.clone()).expect("eight slots");
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
            let due = |exact: &mut Exact| {
                if steps_back && cost <= capacity {
                    exact.start_again_if_due(now);
                }
            };
            match random.below(100) {
                0..65 => match super::ready(handle.acquire(key)) {
                    Ok(decision) => {
                        due(&mut exact);
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
                    if exact.full_at.contains_key(&key) {
                        due(&mut exact);
                    }
                    exact.refund(key, cost, now);
                }
                80..92 => {
                    let token =
                        exact.limits.period().as_micros() / u128::from(exact.limits.tokens());
                    let token = u64::try_from(token).expect("a year at most");
                    now += match random.below(8) {
                        0 => 1,
                        1 | 2 => random.below(2 * token + 2),
                        3 => random.below(token.saturating_mul(capacity).clamp(1, YEAR)),
                        4 => random.up_to(YEAR),
                        5 if random.below(8) == 0 => random.up_to(300 * YEAR),
                        _ => token,
                    };
                }
                92..95 if steps_back => now -= random.up_to(YEAR / 8).min(now / 2),
                // Nobody can tell while time only goes forward.
                92..97 if !steps_back => {
                    limiter.sweep();
                }
                _ => {
                    let (limits, config) = random.accepted();
                    limiter.reload(&config).expect("the slots are there");
                    exact.reload(limits, now);
                }
            }
            clock.set(now);
        }
    }
}
