//! The script against an exact model, on real servers, at every instant that a test names.

use proptest::prelude::*;
use redis::{Connection, Value, cmd};

use super::server::{Server, installed};

const SOURCE: &str = include_str!("../../src/store/redis/bucket.lua");
const YEAR: u64 = 365 * 86_400 * 1_000_000;
const MOST: u64 = 1_000_000_000_000;
/// The longest time that a bucket is kept for, in milliseconds.
const LONGEST: u128 = 9_007_199_254_740;
/// Some moment of 2026, in microseconds.
const ORIGIN: u64 = 1_780_000_000_123_457;

#[derive(Clone, Copy, Debug)]
struct Limits {
    tokens: u64,
    period: u64,
    capacity: u64,
    interval: bool,
}

/// One call: `least` and `most` are the script's.
#[derive(Clone, Copy, Debug)]
struct Call {
    limits: Limits,
    least: i64,
    most: i64,
    now: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Answer {
    granted: i64,
    spent: u64,
    part: u64,
}

/// The bucket in exact arithmetic: what is spent in units, of which `unit` are a token.
#[derive(Clone, Copy, Debug, Default)]
struct Model {
    stored: Option<(u128, u64, u64)>,
}

impl Model {
    fn call(&mut self, call: Call) -> Answer {
        let Limits { tokens, period, capacity, interval } = call.limits;
        let unit = if interval { 1 } else { period };
        let (tokens, wide) = (i128::from(tokens), i128::from(unit));
        let full = i128::from(capacity) * wide;
        let mut spent = 0;
        if let Some((units, was, at)) = self.stored {
            let (whole, part) = (units / u128::from(was), units % u128::from(was));
            let part = part * u128::from(unit) / u128::from(was);
            spent = i128::try_from(whole).unwrap() * wide + i128::try_from(part).unwrap();
            let ticks = |micros| i128::from(if interval { micros / period } else { micros });
            // A microsecond moves `tokens` units under continuous refill, a period the tokens themselves.
            spent = (spent - (ticks(call.now) - ticks(at)) * tokens).max(0);
        }
        let beyond = spent > full;
        spent = spent.min(full);
        let left = i64::try_from((full - spent) / wide).unwrap();
        let granted = call.most.min(left);
        let granted = if granted < call.least { 0 } else { granted };
        spent = (spent + i128::from(granted) * wide).max(0);
        if granted != 0 || beyond {
            self.stored = Some((u128::try_from(spent).unwrap(), unit, call.now));
        }
        let (spent, part) = (spent / wide, spent % wide);
        Answer { granted, spent: spent.try_into().unwrap(), part: part.try_into().unwrap() }
    }

    /// The model of a full bucket after a call.
    fn spending(call: Call) -> Self {
        let mut model = Self::default();
        model.call(call);
        model
    }

    /// The milliseconds until it is full, rounded up; for what was stored under `limits` at its last change.
    fn millis_to_full(&self, limits: Limits) -> u128 {
        let (units, ..) = self.stored.unwrap();
        let micros = if limits.interval {
            units.div_ceil(limits.tokens.into()) * u128::from(limits.period)
        } else {
            units.div_ceil(limits.tokens.into())
        };
        micros.div_ceil(1_000)
    }
}

/// Numbers as the script takes them.
#[expect(clippy::cast_precision_loss, reason = "all are below 2^53")]
fn packed(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| (*number as f64).to_le_bytes()).collect()
}

fn ask(sha: &str, connection: &mut Connection, key: &str, call: Call) -> Answer {
    let Call { limits: Limits { tokens, period, capacity, interval }, least, most, now } = call;
    let unit = if interval { 1 } else { period };
    // As the limiter does: on a new bucket a plain request comes to what it comes to on a full one.
    let fresh = if least == most && most > 0 {
        let millis = Model::spending(call).millis_to_full(call.limits).min(LONGEST);
        (millis + 1_001).to_string()
    } else {
        String::new()
    };
    let [tokens, period, capacity, unit] =
        [tokens, period, capacity, unit].map(|number| i64::try_from(number).unwrap());
    let mut command = cmd("EVALSHA");
    command.arg(sha).arg(1).arg(key);
    command.arg(packed(&[tokens, period, capacity, unit, 1_000, most]));
    command.arg(fresh).arg(packed(&[least, 0, 0, 0])).arg(now);
    let answer: Value = command.query(connection).unwrap();
    let (granted, spent, part, at) = match answer {
        Value::BulkString(bucket) => {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole")]
            let number = |place: usize| {
                f64::from_le_bytes(bucket[8 * place..8 * place + 8].try_into().unwrap()) as u64
            };
            (most, number(0), number(1), number(3))
        }
        numbers => redis::from_redis_value(numbers).unwrap(),
    };
    assert_eq!(at, now);
    Answer { granted, spent, part }
}

/// Whole numbers of every size up to `most`, the ends and their neighbours among them.
fn up_to(most: u64) -> impl Strategy<Value = u64> {
    let bits = u64::BITS - most.leading_zeros();
    prop_oneof![
        (0..bits).prop_flat_map(move |bit| (1_u64 << bit)..=most.min((2 << bit) - 1)),
        Just(1),
        Just(most),
        Just(most - 1),
    ]
}

fn any_limits() -> impl Strategy<Value = Limits> {
    let period =
        prop_oneof![up_to(YEAR), Just(60_000_000), Just(1_000_000), Just(1_000), Just(YEAR)];
    (up_to(MOST), period, up_to(MOST), any::<bool>()).prop_map(
        |(tokens, period, capacity, interval)| {
            let period = period.max(1_000);
            Limits { tokens: tokens.min(10 * period), period, capacity, interval }
        },
    )
}

/// What happens between two calls, as a part of the time to full or a plain number of microseconds.
#[derive(Clone, Debug)]
struct Step {
    kind: u8,
    amount: u64,
    back: bool,
    micros: u64,
    share: u8,
    relimit: bool,
}

fn any_step() -> impl Strategy<Value = Step> {
    let back = prop::bool::weighted(0.1);
    let relimit = prop::bool::weighted(0.2);
    (0_u8..8, up_to(MOST), back, up_to(YEAR), any::<u8>(), relimit).prop_map(
        |(kind, amount, back, micros, share, relimit)| Step {
            kind,
            amount,
            back,
            micros,
            share,
            relimit,
        },
    )
}

fn calls(first: Limits, second: Limits, steps: &[Step]) -> Vec<Call> {
    let (mut limits, mut other, mut now) = (first, second, ORIGIN);
    let mut calls = Vec::new();
    for step in steps {
        if step.relimit {
            (limits, other) = (other, limits);
        }
        let full =
            u128::from(limits.capacity) * u128::from(limits.period) / u128::from(limits.tokens);
        let moved = match step.kind % 4 {
            0 => 0,
            1 => step.micros,
            2 => u64::try_from(full * u128::from(step.share) / 256).unwrap_or(u64::MAX),
            _ => 1,
        };
        // The server's clock is a number of microseconds below 2^53.
        let moved = moved.min(1 << 50);
        now = if step.back { now.saturating_sub(moved) } else { now + moved }.min((1 << 53) - 1);
        let amount = i64::try_from(step.amount.min(limits.capacity)).unwrap();
        let (least, most) = match step.kind {
            0 => (0, 0),
            1 => (-amount, -amount),
            2 => (1, amount),
            3..=5 => (amount, amount),
            _ => (1, 1),
        };
        calls.push(Call { limits, least, most, now });
    }
    calls
}

#[test]
fn the_script_counts_exactly_over_the_whole_range_of_limits() {
    for program in installed("the_script_counts_exactly_over_the_whole_range_of_limits") {
        let server = Server::start(program, &[]);
        let connection = std::cell::RefCell::new((server.connection(), 0_u32));
        let sha: String =
            cmd("SCRIPT").arg("LOAD").arg(SOURCE).query(&mut server.connection()).unwrap();
        let strategy = (any_limits(), any_limits(), prop::collection::vec(any_step(), 1..24));
        let cases =
            ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() };
        proptest!(cases, |((first, second, steps) in strategy)| {
            let (connection, number) = &mut *connection.borrow_mut();
            *number += 1;
            let key = format!("bucket-{number}");
            let mut model = Model::default();
            for call in calls(first, second, &steps) {
                let before = model.stored;
                let expected = model.call(call);
                let answer = ask(&sha, connection, &key, call);
                prop_assert_eq!(answer, expected, "{:?} on {:?}", call, before);
                if model.stored != before {
                    let kept: i64 = cmd("PTTL").arg(&key).query(connection).unwrap();
                    let kept = u128::try_from(kept).unwrap();
                    let needed = model.millis_to_full(call.limits);
                    // A second of slack, and a real clock that runs on while the test looks. What takes 284 years
                    // is cut off.
                    let cut_off = 284 * u128::from(YEAR / 1_000);
                    prop_assert!(kept + 20_000 >= needed.min(cut_off) + 1_000, "{kept} ms for {needed}");
                    let period = u128::from(if call.limits.interval { call.limits.period } else { 0 });
                    prop_assert!(kept <= needed + 1_003 + period.div_ceil(1_000), "{kept} ms for {needed}");
                }
            }
        });
    }
}
