use std::time::Duration;

use super::Engine;
use crate::catalogue::NoClasses;
use crate::clock::ManualClock;
use crate::config::Config;

const DAY: Duration = Duration::from_secs(86_400);

#[test]
fn a_sweep_lets_a_meter_start_again_when_half_of_its_life_is_over() {
    // 2^64 units at 9,999,999 a microsecond are 21 days, and so a life of ten and a half to both sides.
    let fast = |policy: crate::config::PolicyBuilder| {
        policy.tokens(9_999_999).period(Duration::from_secs(1)).capacity(10)
    };
    let config = Config::<NoClasses>::builder().policy("fast", fast).build().unwrap();
    let clock = ManualClock::new();
    clock.advance(30 * DAY);
    let engine = Engine::start(&config, clock.clone()).unwrap();
    let policy = engine.names.policy("fast").unwrap().policy;
    let meter = || engine.live(policy).meter;
    let first = meter();

    clock.advance(5 * DAY);
    engine.sweep();
    assert_eq!(meter(), first);

    clock.advance(DAY);
    engine.sweep();
    let second = meter();
    assert_eq!(second.origin - first.origin, 6 * 86_400_000_000);

    clock.set(30 * 86_400_000_000);
    engine.sweep();
    assert_eq!(meter(), first);
}
