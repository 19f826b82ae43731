//! What a decision says beside its numbers.

use tollgate::decision::Outcome;
use tollgate::{Class, Config, Limiter};

use super::{config, limiter, read, reads, ready, spend};

#[test]
fn peek_says_what_an_acquire_would_and_takes_nothing() {
    let (limiter, _clock) = reads(60, 2);
    for left in [2, 1, 0] {
        for _ in 0..2 {
            let peeked = ready(limiter.peek(Class::Read, "a")).unwrap();
            assert_eq!(peeked.remaining(), Some(left));
            assert_eq!(peeked.permitted(), left > 0);
            assert_eq!(peeked.retry_after().is_some(), left == 0);
        }
        let _ = read(&limiter, "a");
    }
    let (limiter, _clock) = reads(60, 2);
    let _ = ready(limiter.peek(Class::Read, "a")).unwrap();
    assert_eq!(limiter.tracked_keys(), 0);
}

#[test]
fn a_shadow_class_decides_and_admits() {
    let settings = |c: tollgate::config::ConfigBuilder<Class>| {
        c.class(Class::Read, |class| class.burst(1).shadow(true))
    };
    let (limiter, _clock) = limiter(settings);
    spend(&limiter, 1, "a");
    for _ in 0..3 {
        let decision = read(&limiter, "a");
        assert_eq!(decision.outcome(), Outcome::QuotaExceeded);
        assert!(decision.permitted() && !decision.enforced());
        assert_eq!(decision.remaining(), Some(0));
    }
}

#[test]
fn clones_share_their_buckets() {
    // FAULTS 34.
    let (limiter, _clock) = reads(60, 1);
    let clone = limiter.clone();
    assert!(read(&limiter, "a").permitted());
    assert!(!read(&clone, "a").permitted());
}

#[test]
fn a_future_that_is_dropped_takes_nothing() {
    let (limiter, _clock) = reads(60, 2);
    drop(limiter.acquire(Class::Read, "a"));
    assert_eq!(read(&limiter, "a").remaining(), Some(1));
}

#[test]
fn no_key_shows_in_what_is_printed() {
    let (limiter, _clock) = reads(60, 2);
    let acquire = limiter.acquire(Class::Read, "alice@example.org");
    let printed = format!("{acquire:?} {limiter:?} {:?}", limiter.class(Class::Read));
    assert!(printed.contains("Read"));
    assert!(!printed.contains("alice"));
    let decision = ready(acquire).unwrap();
    assert!(!format!("{decision:?}").contains("alice"));
}

#[test]
fn two_limiters_keep_their_buckets_apart() {
    let settings: Config<Class> = config(|c| c.class(Class::Read, |class| class.burst(1)));
    let one = Limiter::new(&settings).unwrap();
    let other = Limiter::new(&settings).unwrap();
    assert!(read(&one, "a").permitted() && read(&other, "a").permitted());
}
