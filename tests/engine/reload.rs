//! Limits that change while they are in use.

use std::time::Duration;

use tollgate::Class;

use super::{config, read, reads, ready, spend};

#[test]
fn a_drained_bucket_stays_drained_under_a_tenth_of_the_rate() {
    // FAULTS 20: 600 a minute, burst 120, drained, then 60 a minute.
    let (limiter, clock) = reads(600, 120);
    spend(&limiter, 120, "a");
    limiter
        .reload(&config(|c| c.class(Class::Read, |class| class.per_minute(60).burst(120))))
        .unwrap();
    let refused = read(&limiter, "a");
    assert!(!refused.permitted());
    assert_eq!(refused.retry_after(), Some(Duration::from_secs(1)));
    clock.advance(Duration::from_secs(1));
    assert!(read(&limiter, "a").permitted());
}

#[test]
fn what_refilled_before_stays_at_the_old_rate() {
    let (limiter, clock) = reads(600, 120);
    spend(&limiter, 120, "a");
    clock.advance(Duration::from_secs(3));
    limiter
        .reload(&config(|c| c.class(Class::Read, |class| class.per_minute(60).burst(120))))
        .unwrap();
    clock.advance(Duration::from_secs(5));
    assert_eq!(ready(limiter.peek(Class::Read, "a")).unwrap().remaining(), Some(35));
}

#[test]
fn a_smaller_burst_keeps_what_is_spent_up_to_itself() {
    // FAULTS 19: no underflow, and refill goes on.
    let (limiter, clock) = reads(60, 100);
    spend(&limiter, 30, "thirty");
    spend(&limiter, 100, "all");
    limiter
        .reload(&config(|c| c.class(Class::Read, |class| class.per_minute(60).burst(40))))
        .unwrap();
    assert_eq!(ready(limiter.peek(Class::Read, "thirty")).unwrap().remaining(), Some(10));
    assert_eq!(ready(limiter.peek(Class::Read, "all")).unwrap().remaining(), Some(0));
    clock.advance(Duration::from_secs(7));
    assert_eq!(ready(limiter.peek(Class::Read, "all")).unwrap().remaining(), Some(7));
    limiter
        .reload(&config(|c| c.class(Class::Read, |class| class.per_minute(60).burst(100))))
        .unwrap();
    assert_eq!(ready(limiter.peek(Class::Read, "all")).unwrap().remaining(), Some(67));
}

#[test]
fn a_rate_of_any_size_changes_no_bucket() {
    let (limiter, clock) = reads(600, 120);
    for (key, spent) in [("none", 0), ("some", 7), ("all", 120)] {
        if spent > 0 {
            spend(&limiter, spent, key);
        }
    }
    for (per_minute, burst) in [(600_000_000, 120), (7, 120), (599_999_999, 120), (600, 120)] {
        let settings =
            config(|c| c.class(Class::Read, |class| class.per_minute(per_minute).burst(burst)));
        limiter.reload(&settings).unwrap();
        for (key, left) in [("none", 120), ("some", 113), ("all", 0)] {
            let decision = ready(limiter.peek(Class::Read, key)).unwrap();
            assert_eq!(decision.remaining(), Some(left), "{key} at {per_minute}");
            assert_eq!(decision.limits().tokens(), per_minute);
        }
        assert_eq!(limiter.tracked_keys(), 2);
    }
    clock.advance(Duration::from_secs(1));
    assert_eq!(ready(limiter.peek(Class::Read, "all")).unwrap().remaining(), Some(10));
}

#[test]
fn a_class_that_is_switched_off_decides_nothing_and_touches_no_bucket() {
    let (limiter, _clock) = reads(600, 2);
    spend(&limiter, 1, "a");
    limiter
        .reload(&config(|c| c.class(Class::Read, |class| class.burst(2).enabled(false))))
        .unwrap();
    for _ in 0..5 {
        let decision = read(&limiter, "a");
        assert_eq!(decision.outcome(), tollgate::decision::Outcome::Disabled);
        assert!(decision.permitted());
        assert_eq!((decision.remaining(), decision.reset_after()), (None, None));
    }
    assert!(ready(limiter.acquire(Class::Write, "a")).unwrap().remaining().is_some());
    limiter.reload(&config(|c| c.class(Class::Read, |class| class.burst(2)))).unwrap();
    assert_eq!(read(&limiter, "a").remaining(), Some(0));
    limiter.reload(&config(|c| c.enabled(false))).unwrap();
    assert_eq!(read(&limiter, "a").outcome(), tollgate::decision::Outcome::Disabled);
}

#[test]
fn a_configuration_with_more_tiers_than_there_are_numbers_for_changes_nothing() {
    let (limiter, _clock) = reads(60, 9);
    spend(&limiter, 3, "a");
    let many = config(|c| {
        let c = c.class(Class::Read, |class| class.burst(5));
        c.class(Class::Write, |class| {
            (0..40_000).fold(class, |class, tier| class.tier(&format!("t{tier}"), 60, 60))
        })
    });
    let error = limiter.reload(&many).unwrap_err();
    assert!(error.to_string().starts_with("there are more than"), "{error}");
    assert_eq!(ready(limiter.peek(Class::Read, "a")).unwrap().remaining(), Some(6));
}
