//! Clocks that step back or stand still for a year.

use std::time::Duration;

use super::{read, reads, spend};

const HOUR: u64 = 3_600_000_000;

#[test]
fn a_clock_that_steps_back_delays_by_no_more_than_a_full_refill() {
    // FAULTS 18: two hours back; the bucket refills in 10 s and the next token comes in 1 s.
    let (limiter, clock) = reads(60, 10);
    clock.set(3 * HOUR);
    spend(&limiter, 1, "a");
    clock.set(HOUR);
    let refused = read(&limiter, "a");
    assert_eq!(refused.retry_after(), Some(Duration::from_secs(1)));
    assert_eq!(refused.reset_after(), Some(Duration::from_secs(10)));
    // The refusal has written the cut: waiting as told helps.
    clock.advance(Duration::from_secs(1));
    assert!(read(&limiter, "a").permitted());
    clock.advance(Duration::from_secs(10));
    assert_eq!(read(&limiter, "a").remaining(), Some(9));
}

#[test]
fn a_clock_that_steps_back_gives_nobody_a_token() {
    let (limiter, clock) = reads(60, 10);
    clock.set(HOUR);
    for _ in 0..10 {
        assert!(read(&limiter, "a").permitted());
    }
    clock.set(0);
    assert!(!read(&limiter, "a").permitted());
    clock.set(HOUR);
    // An hour passed since: a full bucket, and not one token more.
    let admitted = (0..20).filter(|_| read(&limiter, "a").permitted()).count();
    assert_eq!(admitted, 10);
}

#[test]
fn a_small_step_back_costs_what_it_took_back() {
    let (limiter, clock) = reads(60, 10);
    clock.set(HOUR);
    spend(&limiter, 1, "a");
    clock.set(HOUR - 2_000_000);
    // One token spent, two taken back by the clock, one more now.
    assert_eq!(read(&limiter, "a").remaining(), Some(6));
}

#[test]
fn years_of_idleness_leave_a_full_bucket() {
    // FAULTS 17.
    for (per_minute, burst) in [(1, 1), (7, 3), (600, 120), (599_999_999, 5), (1, 4_294_967_295)] {
        let (limiter, clock) = reads(per_minute, burst);
        spend(&limiter, 1, "a");
        for years in [1, 8] {
            clock.advance(Duration::from_secs(years * 365 * 86_400));
            let decision = read(&limiter, "a");
            assert_eq!(decision.remaining(), Some(burst - 1), "{per_minute} per minute");
        }
    }
}
