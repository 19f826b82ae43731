//! The limiter, on a clock that moves only when it is told to.

mod adapters;
mod clock;
mod closing;
mod concurrency;
mod decisions;
mod handles;
mod keys;
mod limits;
mod observers;
mod oracle;
mod registries;
mod reload;
#[cfg(feature = "tokio")]
mod run;
mod sweep;
mod table;
mod together;

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tollgate::clock::ManualClock;
use tollgate::config::ConfigBuilder;
use tollgate::decision::{AcquireError, Decision};
use tollgate::{Class, Config, Limiter, ToKey};

/// A limiter of the reference catalogue with these settings, and its clock.
fn limiter(
    set: impl FnOnce(ConfigBuilder<Class>) -> ConfigBuilder<Class>,
) -> (Limiter, ManualClock) {
    let clock = ManualClock::new();
    (Limiter::with_clock(&config(set), clock.clone()).expect("a small table"), clock)
}

fn config(set: impl FnOnce(ConfigBuilder<Class>) -> ConfigBuilder<Class>) -> Config<Class> {
    set(Config::builder()).build().expect("valid settings")
}

/// A limiter whose `rl.read` has these limits.
fn reads(per_minute: u64, burst: u64) -> (Limiter, ManualClock) {
    limiter(|config| config.class(Class::Read, |class| class.per_minute(per_minute).burst(burst)))
}

fn read(limiter: &Limiter, key: impl ToKey) -> Decision {
    ready(limiter.acquire(Class::Read, key)).expect("a cost of one token")
}

/// Takes tokens that are there.
fn spend(limiter: &Limiter, cost: u64, key: impl ToKey) {
    assert!(read_cost(limiter, cost, key).expect("a cost within the capacity").permitted());
}

fn read_cost(limiter: &Limiter, cost: u64, key: impl ToKey) -> Result<Decision, AcquireError> {
    ready(limiter.class(Class::Read).cost(cost).expect("a valid cost").acquire(key))
}

/// What a future of the local store says: it never waits.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("a local decision waited"),
    }
}
