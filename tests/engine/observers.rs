//! What observers are told, and what they cannot do.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tollgate::Class;
use tollgate::config::{Mode, Saturation};
use tollgate::decision::{Algorithm, FailureCode, Outcome};
use tollgate::observe::{DecisionEvent, Observer, SweepEvent};

use super::{limiter, read, reads, ready, spend};

#[derive(Default)]
struct Told(Mutex<Vec<String>>);

impl Told {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().expect("no test panics while it holds this"))
    }
}

impl Observer for Told {
    fn decided(&self, event: &DecisionEvent<'_>) {
        let (outcome, enforced) = (event.outcome.as_str(), event.enforced);
        let told = format!("{} {outcome} {enforced}", event.class);
        self.0.lock().expect("no test panics while it holds this").push(told);
    }

    fn swept(&self, event: &SweepEvent) {
        let told = format!("erased {} tracked {}", event.erased, event.tracked);
        self.0.lock().expect("no test panics while it holds this").push(told);
    }
}

#[test]
fn every_decision_is_one_event() {
    let (limiter, _clock) = limiter(|config| {
        config
            .class(Class::Export, |class| class.burst(1))
            .class(Class::Write, |class| class.burst(1).shadow(true))
            .class(Class::Admin, |class| class.enabled(false))
    });
    let told = Arc::new(Told::default());
    limiter.observe(Arc::clone(&told));
    for class in [Class::Export, Class::Write, Class::Admin] {
        for _ in 0..2 {
            let _ = ready(limiter.acquire(class, "alice")).unwrap();
        }
    }
    let expected = [
        "rl.export permitted true",
        "rl.export quota-exceeded true",
        "rl.write permitted false",
        "rl.write quota-exceeded false",
        "rl.admin disabled true",
        "rl.admin disabled true",
    ];
    assert_eq!(told.take(), expected);
    // Looking is no decision, and an error is none.
    let _ = ready(limiter.peek(Class::Export, "alice")).unwrap();
    let _ = ready(limiter.class(Class::Export).cost(2).unwrap().acquire("alice")).unwrap_err();
    assert!(told.take().is_empty());
}

#[test]
fn of_requests_decided_together_only_what_was_decided_is_told() {
    let (limiter, _clock) = limiter(|config| config.class(Class::Export, |class| class.burst(1)));
    let told = Arc::new(Told::default());
    limiter.observe(Arc::clone(&told));
    for _ in 0..2 {
        let requests = [limiter.acquire(Class::Read, "a"), limiter.acquire(Class::Export, "a")];
        let _ = ready(limiter.acquire_all(requests)).unwrap();
    }
    let expected =
        ["rl.read permitted true", "rl.export permitted true", "rl.export quota-exceeded true"];
    assert_eq!(told.take(), expected);
}

#[test]
fn an_event_has_the_numbers_of_its_decision_and_nothing_of_its_key() {
    struct Printed(Mutex<String>);
    impl Observer for Printed {
        fn decided(&self, event: &DecisionEvent<'_>) {
            assert_eq!((event.mode, event.algorithm), (Mode::Local, Algorithm::TokenBucket));
            assert_eq!((event.tier, event.revision), (Some("gold"), Some("r7")));
            assert_eq!((event.cost, event.capacity, event.remaining), (1, 2, Some(1)));
            assert_eq!(event.reset_after, Some(Duration::from_secs(1)));
            assert_eq!((event.retry_after, event.failure), (None, None));
            assert_eq!((event.evicted, event.backend_latency), (false, None));
            *self.0.lock().unwrap() = format!("{event:?}");
        }
    }
    let (limiter, _clock) = limiter(|config| {
        config.class(Class::Export, |class| class.revision("r7").tier("gold", 60, 2))
    });
    let printed = Arc::new(Printed(Mutex::default()));
    limiter.observe(Arc::clone(&printed));
    let gold = limiter.class(Class::Export).tier("gold");
    assert!(ready(gold.acquire("alice@example.org")).unwrap().permitted());
    let printed = printed.0.lock().unwrap();
    assert!(printed.contains("rl.export") && !printed.contains("alice"), "{printed}");
}

#[test]
fn a_panicking_observer_harms_nobody() {
    struct Panics;
    impl Observer for Panics {
        fn decided(&self, _: &DecisionEvent<'_>) {
            std::panic::panic_any("an observer panicked, as this test wants");
        }
    }
    let (limiter, _clock) = reads(60, 2);
    let told = Arc::new(Told::default());
    limiter.observe(Panics);
    limiter.observe(Arc::clone(&told));
    assert_eq!(read(&limiter, "a").remaining(), Some(1));
    assert_eq!(read(&limiter, "a").remaining(), Some(0));
    assert!(!read(&limiter, "a").permitted());
    assert_eq!(told.take().len(), 3);
}

#[test]
fn an_observer_may_use_the_limiter_it_observes() {
    struct Nested(tollgate::Limiter);
    impl Observer for Nested {
        fn decided(&self, event: &DecisionEvent<'_>) {
            if event.class == "rl.read" {
                assert!(ready(self.0.acquire(Class::Write, "nested")).unwrap().permitted());
            }
        }
    }
    let (limiter, _clock) = reads(60, 2);
    limiter.observe(Nested(limiter.clone()));
    spend(&limiter, 1, "a");
    assert_eq!(ready(limiter.peek(Class::Write, "nested")).unwrap().remaining(), Some(29));
}

#[test]
fn evictions_failures_and_sweeps_are_told() {
    #[derive(Default)]
    struct Kinds(Mutex<Vec<(bool, Option<FailureCode>, Outcome)>>);
    impl Observer for Kinds {
        fn decided(&self, event: &DecisionEvent<'_>) {
            self.0.lock().unwrap().push((event.evicted, event.failure, event.outcome));
        }
    }
    let (limiter, clock) = limiter(|config| {
        config
            .max_tracked_keys(1)
            .class(Class::Export, |class| class.max_tracked_keys(1).saturation(Saturation::Open))
    });
    let (kinds, told) = (Arc::new(Kinds::default()), Arc::new(Told::default()));
    limiter.observe(Arc::clone(&kinds));
    spend(&limiter, 1, "a");
    spend(&limiter, 1, "b");
    for key in ["a", "b"] {
        let _ = ready(limiter.acquire(Class::Export, key)).unwrap();
    }
    let expected = [
        (false, None, Outcome::Permitted),
        (true, None, Outcome::Permitted),
        (false, None, Outcome::Permitted),
        (false, Some(FailureCode::CapacityExhausted), Outcome::BackendFailureOpen),
    ];
    assert_eq!(*kinds.0.lock().unwrap(), expected);
    limiter.observe(Arc::clone(&told));
    // A token of rl.read is 0.1 s, one of rl.export 10 s.
    clock.advance(Duration::from_millis(100));
    limiter.sweep();
    assert_eq!(told.take(), ["erased 1 tracked 1"]);
}
