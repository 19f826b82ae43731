//! The clustered store on real servers.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and so do the parts it is made of"
)]

mod access;
mod cluster;
mod faults;
#[cfg(feature = "axum")]
mod handlers;
mod leases;
mod script;
mod sentinel;
pub(crate) mod server;
mod shared;

use std::time::Duration;

use tokio::time::Instant;
use tollgate::clock::{Clock, SystemClock};
use tollgate::config::{ConfigBuilder, FailureMode, Mode};
use tollgate::decision::{Decision, FailureCode, Outcome};
use tollgate::{Class, Config, Limiter, ToKey};

use server::{PATIENCE, Server};

const SECRET: &str = "a secret of thirty-two bytes, or more";
/// Long enough for a busy machine, short enough to wait for.
const TIMEOUT: Duration = Duration::from_millis(400);

/// A configuration in which `rl.read` is clustered and open, `rl.write` clustered and closed, both with three tokens that
/// come back one a minute.
fn config(url: &str) -> ConfigBuilder<Class> {
    let config = Config::builder().redis(url, "test", TIMEOUT).key_secret(SECRET);
    let clustered = |class: tollgate::config::ClassBuilder, failure_mode| {
        class.mode(Mode::Clustered).failure_mode(failure_mode).per_minute(1).burst(3)
    };
    config
        .class(Class::Read, |class| clustered(class, FailureMode::Open))
        .class(Class::Write, |class| clustered(class, FailureMode::Closed))
}

fn limiter(url: &str) -> Limiter {
    with_clock(url, SystemClock::new())
}

fn with_clock(url: &str, clock: impl Clock + 'static) -> Limiter {
    Limiter::with_clock(&config(url).build().unwrap(), clock).unwrap()
}

async fn acquire(limiter: &Limiter, class: Class, key: impl ToKey) -> Decision {
    limiter.acquire(class, key).await.unwrap()
}

/// The tokens that are left after a request for one that was admitted.
async fn left(limiter: &Limiter, class: Class, key: impl ToKey) -> u64 {
    let decision = acquire(limiter, class, key).await;
    assert_eq!(decision.outcome(), Outcome::Permitted, "{decision:?}");
    assert_eq!(decision.mode(), Mode::Clustered);
    decision.remaining().unwrap()
}

/// Both failure modes: one admits, one refuses, and neither has numbers or a wait.
async fn assert_fails(limiter: &Limiter, code: FailureCode) {
    for (class, outcome, permitted) in [
        (Class::Read, Outcome::BackendFailureOpen, true),
        (Class::Write, Outcome::BackendFailureClosed, false),
    ] {
        let decision = acquire(limiter, class, "somebody").await;
        assert_eq!((decision.outcome(), decision.failure()), (outcome, Some(code)));
        assert_eq!(decision.permitted(), permitted);
        assert_eq!((decision.remaining(), decision.retry_after()), (None, None));
    }
}

/// Waits until the backend decides again.
async fn until_decided(limiter: &Limiter, class: Class, key: &str) -> Decision {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let decision = acquire(limiter, class, key).await;
        if decision.failure().is_none() {
            return decision;
        }
        assert!(Instant::now() < deadline, "still {decision:?}");
        tokio::task::yield_now().await;
    }
}

/// How often the server has run a command.
fn calls(server: &Server, command: &str) -> u64 {
    let mut connection = server.connection();
    let stats: String = redis::cmd("INFO").arg("commandstats").query(&mut connection).unwrap();
    let line =
        stats.lines().find_map(|line| line.strip_prefix(&format!("cmdstat_{command}:calls=")));
    line.map_or(0, |line| line.split(',').next().unwrap().parse().unwrap())
}
