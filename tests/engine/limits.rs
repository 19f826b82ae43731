//! The numbers of a decision, worked out by hand, each kind of fault that other limiters had.

use std::time::Duration;

use tollgate::Class;
use tollgate::decision::{AcquireError, Outcome};

use super::{limiter, read, read_cost, reads, ready, spend};

const MILLISECOND: Duration = Duration::from_millis(1);

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

#[test]
fn a_new_bucket_is_full_and_one_request_takes_one_token() {
    let (limiter, _clock) = reads(600, 120);
    let decision = read(&limiter, "alice");
    assert_eq!(decision.outcome(), Outcome::Permitted);
    assert!(decision.permitted() && decision.enforced());
    assert_eq!((decision.class(), decision.cost()), (Class::Read, 1));
    assert_eq!(decision.remaining(), Some(119));
    // One token at ten a second.
    assert_eq!(decision.reset_after(), Some(seconds(0.1)));
    assert_eq!(decision.next_token_after(), Some(seconds(0.1)));
    assert_eq!(decision.retry_after(), None);
}

#[test]
fn idleness_refills_to_the_capacity_and_not_above() {
    // FAULTS 1: burst 10, one use, 8.9 s idle.
    let (limiter, clock) = reads(60, 10);
    spend(&limiter, 1, "a");
    clock.advance(Duration::from_millis(8_900));
    let admitted = (0..30).filter(|_| read(&limiter, "a").permitted()).count();
    assert_eq!(admitted, 10);
}

#[test]
fn a_burst_after_idleness_is_the_burst_of_a_fresh_bucket() {
    // FAULTS 2: burst 5.
    let (limiter, clock) = reads(60, 5);
    for idle in [0, 5_000_000, 5_000_001, 3_600_000_000] {
        clock.advance(Duration::from_micros(idle));
        let admitted = (0..9).filter(|_| read(&limiter, "a").permitted()).count();
        assert_eq!(admitted, 5, "after {idle} us");
    }
}

#[test]
fn waiting_as_told_is_enough_and_a_microsecond_less_is_not() {
    // FAULTS 3 and 4: 7 a minute is a token in 8,571,428.57 us; the wait is rounded up to a whole one.
    let (limiter, clock) = reads(7, 1);
    spend(&limiter, 1, "a");
    let refused = read(&limiter, "a");
    assert_eq!(refused.retry_after(), Some(Duration::from_micros(8_571_429)));
    clock.advance(Duration::from_micros(8_571_428));
    assert!(!read(&limiter, "a").permitted());
    clock.advance(Duration::from_micros(1));
    assert!(read(&limiter, "a").permitted());
}

#[test]
fn an_exact_second_stays_an_exact_second() {
    // FAULTS 4: 60 a minute and two tokens short is 2 s, not 3.
    let (limiter, clock) = reads(60, 2);
    assert!(read_cost(&limiter, 2, "a").unwrap().permitted());
    let refused = read_cost(&limiter, 2, "a").unwrap();
    assert_eq!(refused.retry_after(), Some(seconds(2.0)));
    assert_eq!(refused.reset_after(), Some(seconds(2.0)));
    clock.advance(100 * MILLISECOND);
    assert_eq!(read_cost(&limiter, 2, "a").unwrap().retry_after(), Some(seconds(1.9)));
}

#[test]
fn a_refused_request_takes_nothing() {
    // FAULTS 29.
    let (limiter, clock) = reads(60, 1);
    spend(&limiter, 1, "a");
    for _ in 0..9 {
        clock.advance(100 * MILLISECOND);
        assert!(!read(&limiter, "a").permitted());
    }
    clock.advance(100 * MILLISECOND);
    assert!(read(&limiter, "a").permitted());
}

#[test]
fn the_third_export_waits_ten_seconds() {
    // 6 a minute, burst 2.
    let (limiter, clock) = limiter(|config| config);
    let export = || ready(limiter.acquire(Class::Export, "alice")).unwrap();
    assert!(export().permitted() && export().permitted());
    let refused = export();
    assert_eq!(refused.outcome(), Outcome::QuotaExceeded);
    assert_eq!((refused.remaining(), refused.retry_after()), (Some(0), Some(seconds(10.0))));
    clock.advance(10_000 * MILLISECOND);
    assert!(export().permitted());
}

#[test]
fn a_cost_above_the_capacity_is_an_error_and_no_wait() {
    // FAULTS 15.
    let (limiter, _clock) = reads(60, 10);
    let error = AcquireError::CostAboveCapacity { cost: 11, capacity: 10 };
    assert_eq!(read_cost(&limiter, 11, "a"), Err(error));
    assert_eq!(ready(limiter.class(Class::Read).cost(11).unwrap().peek("a")), Err(error));
    assert_eq!(read(&limiter, "a").remaining(), Some(9));
}

#[test]
fn a_cost_of_nothing_cannot_be_made() {
    let (limiter, _clock) = reads(60, 10);
    let error = limiter.class(Class::Read).cost(0).unwrap_err();
    assert_eq!(error.to_string(), "cost is 0; it must be 1 to 1000000000000");
    assert!(limiter.class(Class::Read).cost(1_000_000_000_001).is_err());
}

#[test]
fn the_largest_burst_at_the_slowest_rate_neither_wraps_nor_drifts() {
    // FAULTS 16 and 17.
    let burst = u64::from(u32::MAX);
    let (limiter, clock) = reads(1, burst);
    let drained = read_cost(&limiter, burst, "a").unwrap();
    assert_eq!(drained.remaining(), Some(0));
    assert_eq!(drained.reset_after(), Some(Duration::from_secs(60 * burst)));
    let year = Duration::from_secs(365 * 86_400);
    clock.advance(year);
    // A token a minute.
    assert_eq!(ready(limiter.peek(Class::Read, "a")).unwrap().remaining(), Some(365 * 24 * 60));
    clock.set(u64::try_from(10 * year.as_micros()).unwrap() - 1);
    assert_eq!(
        ready(limiter.peek(Class::Read, "a")).unwrap().remaining(),
        Some(10 * 365 * 24 * 60 - 1)
    );
    clock.advance(Duration::from_micros(1));
    assert_eq!(
        ready(limiter.peek(Class::Read, "a")).unwrap().remaining(),
        Some(10 * 365 * 24 * 60)
    );
}

#[test]
fn the_fastest_rate_is_ten_tokens_a_microsecond() {
    let (limiter, clock) = reads(600_000_000, 1_000);
    assert!(read_cost(&limiter, 1_000, "a").unwrap().permitted());
    clock.advance(Duration::from_micros(3));
    assert_eq!(ready(limiter.peek(Class::Read, "a")).unwrap().remaining(), Some(30));
}

#[test]
fn tokens_are_a_number_in_a_period_and_cannot_be_read_the_other_way() {
    // FAULTS 30: 4000 a second are 4 in a millisecond, and not one in 4000 seconds.
    let (limiter, clock) = limiter(|config| {
        config.policy("p", |policy| policy.tokens(4_000).period(seconds(1.0)).capacity(4_000))
    });
    let policy = limiter.policy("p").unwrap();
    let all = policy.clone().cost(4_000).unwrap();
    assert!(ready(all.acquire("a")).unwrap().permitted());
    clock.advance(MILLISECOND);
    let decision = ready(policy.peek("a")).unwrap();
    assert_eq!(decision.remaining(), Some(4));
    assert_eq!((decision.limits().quota(), decision.limits().window_seconds()), (4_000, 1));
    assert_eq!(ready(all.peek("a")).unwrap().retry_after(), Some(seconds(0.999)));
}
