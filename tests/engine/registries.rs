//! Classes with a registry of their own.

use tollgate::Class;
use tollgate::config::{ConfigBuilder, Saturation};
use tollgate::decision::{FailureCode, Outcome};

use super::{limiter, ready, spend};

fn exports(
    keys: u64,
    saturation: Saturation,
) -> impl FnOnce(ConfigBuilder<Class>) -> ConfigBuilder<Class> {
    move |config| {
        let config = config.max_tracked_keys(4);
        config.class(Class::Export, |class| class.max_tracked_keys(keys).saturation(saturation))
    }
}

#[test]
fn no_other_class_presses_on_a_class_with_a_registry_of_its_own() {
    let (limiter, _clock) = limiter(exports(1, Saturation::Evict));
    let export = || ready(limiter.acquire(Class::Export, "victim")).unwrap();
    assert!(export().permitted() && export().permitted());
    for key in 0..1_000 {
        spend(&limiter, 1, key);
    }
    assert!(!export().permitted());
}

#[test]
fn a_registry_is_never_short_of_slots_below_its_cap() {
    for keys in [1, 2, 3, 5, 7, 8, 9, 10, 16, 100, 5_000] {
        let (limiter, _clock) = limiter(exports(keys, Saturation::Closed));
        for key in 0..keys {
            let decision = ready(limiter.acquire(Class::Export, key)).unwrap();
            assert_eq!(decision.outcome(), Outcome::Permitted, "{key} of {keys}");
        }
        assert_eq!(limiter.tracked_keys(), keys);
    }
}

#[test]
fn a_closed_registry_refuses_a_new_key_when_no_slot_is_free() {
    let (limiter, clock) = limiter(exports(2, Saturation::Closed));
    let export = |key| ready(limiter.acquire(Class::Export, key)).unwrap();
    assert!(export("a").permitted() && export("b").permitted());
    let refused = export("c");
    assert_eq!(refused.outcome(), Outcome::BackendFailureClosed);
    assert_eq!(refused.failure(), Some(FailureCode::CapacityExhausted));
    assert_eq!(refused.failure().unwrap().as_str(), "capacity-exhausted");
    assert!(!refused.permitted());
    assert_eq!(
        (refused.remaining(), refused.retry_after(), refused.reset_after()),
        (None, None, None)
    );
    // Known keys go on, and a bucket that is full again makes room: a token is 10 s.
    assert_eq!(export("a").remaining(), Some(0));
    clock.advance(std::time::Duration::from_secs(10));
    assert_eq!(export("c").outcome(), Outcome::Permitted);
}

#[test]
fn an_open_registry_admits_a_new_key_untracked_when_no_slot_is_free() {
    let (limiter, _clock) = limiter(exports(2, Saturation::Open));
    let export = |key| ready(limiter.acquire(Class::Export, key)).unwrap();
    assert!(export("a").permitted() && export("b").permitted());
    for _ in 0..5 {
        let decision = export("c");
        assert_eq!(decision.outcome(), Outcome::BackendFailureOpen);
        assert_eq!(decision.failure(), Some(FailureCode::CapacityExhausted));
        assert!(decision.permitted());
        assert_eq!(decision.remaining(), None);
    }
    assert_eq!(limiter.tracked_keys(), 2);
}

#[test]
fn saturation_is_a_matter_of_registries_alone() {
    // The shared pool evicts, whatever the class says.
    let (limiter, _clock) = limiter(|config| {
        let config = config.max_tracked_keys(1);
        config.class(Class::Export, |class| class.saturation(Saturation::Closed))
    });
    for key in 0..10 {
        assert!(ready(limiter.acquire(Class::Export, key)).unwrap().permitted());
    }
}
