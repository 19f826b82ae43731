//! Handles, tiers, policies and guarded calls.

use std::cell::Cell;
use std::time::Duration;

use tollgate::catalogue::NoClasses;
use tollgate::clock::ManualClock;
use tollgate::decision::{AcquireError, NotAdmitted};
use tollgate::{Class, Config, Limiter};

use super::{config, limiter, read, reads, ready, spend};

#[test]
fn a_tier_has_limits_and_buckets_of_its_own() {
    let (limiter, _clock) = limiter(|config| {
        config.class(Class::Export, |class| class.burst(2).tier("gold", 60, 5).tier("free", 6, 1))
    });
    let left = |handle: tollgate::limiter::Handle<'_>| {
        ready(handle.acquire("a")).unwrap().remaining().unwrap()
    };
    assert_eq!(left(limiter.class(Class::Export).tier("gold")), 4);
    assert_eq!(left(limiter.class(Class::Export)), 1);
    assert_eq!(left(limiter.class(Class::Export).tier("free")), 0);
    // What no tier is called is the class itself, also after another tier was chosen.
    assert_eq!(left(limiter.class(Class::Export).tier("gold").tier("none")), 0);
    // Another class has no such tier.
    assert_eq!(limiter.class(Class::Read).tier("gold").capacity(), 120);
}

#[test]
fn tiers_are_reloaded_added_and_fall_back_to_their_class() {
    let (limiter, _clock) =
        limiter(|config| config.class(Class::Export, |class| class.tier("gold", 60, 5)));
    let gold = limiter.class(Class::Export).tier("gold");
    assert!(ready(gold.acquire("a")).unwrap().permitted());
    limiter
        .reload(&config(|c| {
            c.class(Class::Export, |class| class.tier("gold", 60, 9).tier("new", 6, 7))
        }))
        .unwrap();
    assert_eq!(ready(gold.peek("a")).unwrap().remaining(), Some(8));
    assert_eq!(limiter.class(Class::Export).tier("new").capacity(), 7);
    limiter.reload(&config(|c| c)).unwrap();
    assert_eq!(gold.capacity(), 2);
    assert_eq!(ready(gold.peek("a")).unwrap().remaining(), Some(1));
}

#[test]
fn another_revision_starts_fresh_buckets() {
    let settings = |revision: &'static str| {
        config(move |c| c.class(Class::Read, |class| class.burst(2).revision(revision)))
    };
    let (limiter, _clock) = reads(60, 2);
    spend(&limiter, 2, "a");
    limiter.reload(&settings("2")).unwrap();
    assert_eq!(read(&limiter, "a").remaining(), Some(1));
    // The same revision keeps them, and the first one finds its own again.
    limiter.reload(&settings("2")).unwrap();
    assert_eq!(read(&limiter, "a").remaining(), Some(0));
    limiter
        .reload(&config(|c| c.class(Class::Read, |class| class.per_minute(60).burst(2))))
        .unwrap();
    assert!(!read(&limiter, "a").permitted());
}

#[test]
fn a_program_without_a_catalogue_limits_by_policies() {
    let file = serde_json::from_str(
        r#"{"ratelimit": {"policies": {"search-quota":
            {"tokens": 3, "period": "1s", "capacity": 4, "default_cost": 2}}}}"#,
    );
    let settings = Config::<NoClasses>::builder().file(file.unwrap()).build().unwrap();
    let clock = ManualClock::new();
    let limiter = Limiter::with_clock(&settings, clock.clone()).unwrap();
    let quota = limiter.policy("search-quota").unwrap();
    assert_eq!((quota.name(), quota.capacity()), ("search-quota", 4));
    let ask = || ready(quota.acquire("user"));
    assert_eq!(ask().unwrap().remaining(), Some(2));
    assert_eq!(ask().unwrap().remaining(), Some(0));
    let refused = ask().unwrap();
    // Two tokens at three a second.
    assert_eq!(refused.retry_after(), Some(Duration::from_micros(666_667)));
    let cheap = quota.clone().cost(1).unwrap();
    clock.advance(Duration::from_micros(333_334));
    assert!(ready(cheap.acquire("user")).unwrap().permitted());

    let error = limiter.policy("search_qota").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no policy is called `search_qota`; did you mean `search-quota`?; \
         policies are configured under `ratelimit.policies`"
    );
}

#[test]
fn interval_refill_gives_the_tokens_of_a_period_at_its_end() {
    let policy = |c: tollgate::config::ConfigBuilder<Class>| {
        c.policy("daily", |policy| {
            policy
                .tokens(2)
                .period(Duration::from_secs(10))
                .capacity(3)
                .refill(tollgate::limits::Refill::Interval)
        })
    };
    let (limiter, clock) = limiter(policy);
    clock.set(14_000_000);
    let daily = limiter.policy("daily").unwrap().cost(3).unwrap();
    assert_eq!(ready(daily.acquire("a")).unwrap().remaining(), Some(0));
    // Periods end at 20 s and 30 s of the clock: three tokens need both.
    let refused = ready(daily.acquire("a")).unwrap();
    assert_eq!(refused.retry_after(), Some(Duration::from_secs(16)));
    assert_eq!(refused.next_token_after(), Some(Duration::from_secs(6)));
    clock.set(19_999_999);
    assert_eq!(ready(daily.peek("a")).unwrap().remaining(), Some(0));
    assert_eq!(
        ready(daily.peek("a")).unwrap().retry_after(),
        Some(Duration::from_micros(10_000_001))
    );
    clock.set(20_000_000);
    assert_eq!(ready(daily.peek("a")).unwrap().remaining(), Some(2));
    clock.set(29_999_999);
    assert!(!ready(daily.acquire("a")).unwrap().permitted());
    clock.set(30_000_000);
    assert!(ready(daily.acquire("a")).unwrap().permitted());
    assert_eq!(daily.limits().window_seconds(), 10);
}

#[test]
fn a_guarded_call_runs_once_when_it_is_admitted_and_not_at_all_when_not() {
    let (limiter, _clock) = reads(60, 2);
    let reads = limiter.class(Class::Read);
    let runs = Cell::new(0);
    let call = || {
        ready(reads.execute("a", async || {
            runs.set(runs.get() + 1);
            runs.get()
        }))
    };
    assert_eq!(call(), Ok(1));
    assert_eq!(call(), Ok(2));
    let error = call().unwrap_err();
    assert_eq!(runs.get(), 2);
    let NotAdmitted::QuotaExceeded(decision) = error else { panic!("{error}") };
    assert_eq!(decision.retry_after(), Some(Duration::from_secs(1)));
    assert_eq!(error.to_string(), "the quota is exceeded; try again in 1s");

    let above = limiter.class(Class::Read).cost(3).unwrap();
    let error = ready(above.execute("a", async || runs.set(9))).unwrap_err();
    let expected = AcquireError::CostAboveCapacity { cost: 3, capacity: 2 };
    assert_eq!(error, NotAdmitted::Acquire(expected));
    assert_eq!(runs.get(), 2);
}

#[test]
fn a_backend_refusal_is_no_quota() {
    let (limiter, _clock) = limiter(|config| {
        config.class(Class::Export, |class| {
            class.max_tracked_keys(1).saturation(tollgate::config::Saturation::Closed)
        })
    });
    let exports = limiter.class(Class::Export);
    ready(exports.execute("a", async || ())).unwrap();
    let error = ready(exports.execute("b", async || ())).unwrap_err();
    assert!(matches!(error, NotAdmitted::BackendFailure(_)), "{error:?}");
}

#[test]
fn a_guarded_call_that_is_dropped_early_keeps_nobody_waiting() {
    let (limiter, _clock) = reads(60, 2);
    let reads = limiter.class(Class::Read);
    drop(reads.execute("a", async || ()));
    {
        let mut started = std::pin::pin!(reads.execute("a", std::future::pending::<()>));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(started.as_mut().poll(&mut context).is_pending());
    }
    assert_eq!(ready(limiter.peek(Class::Read, "a")).unwrap().remaining(), Some(1));
    assert_eq!(ready(limiter.close()), Ok(()));
}

#[test]
fn a_kept_handle_outlives_the_limiter_it_came_from() {
    let (limiter, _clock) = reads(60, 2);
    let reads = limiter.class(Class::Read).into_owned();
    drop(limiter);
    assert_eq!(ready(reads.acquire("a")).unwrap().remaining(), Some(1));
}

#[test]
fn a_handle_with_a_key_function_asks_it_for_the_key() {
    struct Upload {
        account: u64,
    }
    let (limiter, _clock) = reads(60, 2);
    let keyed = limiter.class(Class::Read).keyed_by(|upload: &Upload| upload.account);
    assert_eq!(ready(keyed.acquire(&Upload { account: 7 })).unwrap().remaining(), Some(1));
    assert_eq!(read(&limiter, 7).remaining(), Some(0));
    assert_eq!(ready(keyed.peek(&Upload { account: 7 })).unwrap().remaining(), Some(0));
    assert_eq!(keyed.handle().name(), "rl.read");
}
