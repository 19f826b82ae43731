//! How long requests take while the server is frozen, beside the timers of the same machine.

use std::net::Ipv4Addr;
use std::process::Command;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tollgate::decision::Outcome as Decided;
use tollgate::{Class, Config, Limiter};

use super::{Budget, Outcome};

/// The deadline of a request.
const TIMEOUT: Duration = Duration::from_millis(50);
const CALLERS: u64 = 64;
/// Shorter than it takes to give a silent connection up, after which requests fail at once.
const FROZEN: Duration = Duration::from_millis(1_500);
/// The granularity of the runtime's timers: of two percentiles one may be on the other side of a tick.
const TICK: Duration = Duration::from_millis(1);
const PATIENCE: Duration = Duration::from_secs(10);

/// Freezes the server, which has to be on this machine, and thaws it again.
pub(super) async fn frozen(url: &str) -> Outcome<()> {
    let limiter = limiter(url)?;
    decided(&limiter).await?;
    let server = Frozen::new(url)?;
    let until = Instant::now() + FROZEN;
    let (mut requests, mut timers) = (Vec::new(), Vec::new());
    for _ in 0..CALLERS {
        let limiter = limiter.clone();
        requests.push(tokio::spawn(async move {
            let mut late = Vec::new();
            while Instant::now() < until {
                let started = Instant::now();
                let decision = limiter.acquire(Class::Export, "frozen").await;
                late.push(started.elapsed().saturating_sub(TIMEOUT));
                let outcome = decision.map_err(|error| error.to_string())?.outcome();
                if outcome != Decided::BackendFailureClosed {
                    return Err(format!("a frozen server cannot decide, but: {outcome:?}"));
                }
            }
            Ok(late)
        }));
        timers.push(tokio::spawn(async move {
            let mut late = Vec::new();
            while Instant::now() < until {
                let due = Instant::now() + TIMEOUT;
                sleep_until(due).await;
                late.push(due.elapsed());
            }
            late
        }));
    }
    let (mut late_requests, mut late_timers) = (Vec::new(), Vec::new());
    for request in requests {
        late_requests.extend(request.await??);
    }
    for timer in timers {
        late_timers.extend(timer.await?);
    }
    drop(server);
    let thawed = Instant::now();
    while decided(&limiter).await.is_err() {
        if thawed.elapsed() > PATIENCE {
            return Err("the thawed server does not decide again".into());
        }
    }
    let number = late_requests.len();
    let (requests, timers) = (percentile(late_requests), percentile(late_timers));
    println!(
        "frozen: {number} requests, of which 99 in 100 end at most {requests:?} after their deadline of {TIMEOUT:?}; \
         timers fire at most {timers:?} late; clustered again {:?} after the thaw",
        thawed.elapsed()
    );
    if requests > timers + TICK {
        return Err("requests take longer than their deadline and a timer".into());
    }
    Ok(())
}

fn limiter(url: &str) -> Outcome<Limiter> {
    let budget = Budget::new(url, 60_000_000, 1_000_000);
    let config = Config::builder().redis(url, &budget.namespace, TIMEOUT);
    budget.limiter_of(config)
}

async fn decided(limiter: &Limiter) -> Outcome<()> {
    match limiter.acquire(Class::Export, "frozen").await?.outcome() {
        Decided::Permitted => Ok(()),
        outcome => Err(format!("the server does not decide: {outcome:?}").into()),
    }
}

/// The 99th in a hundred.
fn percentile(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() * 99 / 100).copied().unwrap_or_default()
}

/// A stopped server, which goes on when this is dropped.
struct Frozen {
    process: String,
}

impl Frozen {
    fn new(url: &str) -> Outcome<Self> {
        let client = redis::Client::open(url)?;
        let host = format!("{}", client.get_connection_info().addr());
        if !host.starts_with(&Ipv4Addr::LOCALHOST.to_string()) {
            return Err(format!("only a server on this machine can be frozen, not {host}").into());
        }
        let info: String = redis::cmd("INFO").arg("server").query(&mut client.get_connection()?)?;
        let process = info.lines().find_map(|line| line.strip_prefix("process_id:"));
        let process = process.ok_or("the server does not tell its process")?.trim().to_owned();
        let frozen = Self { process };
        frozen.signal("-STOP")?;
        Ok(frozen)
    }

    fn signal(&self, signal: &str) -> Outcome<()> {
        if Command::new("kill").args([signal, &self.process]).status()?.success() {
            return Ok(());
        }
        Err(format!("process {} takes no signal", self.process).into())
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        // Fails where it could not be stopped either.
        let _ = self.signal("-CONT");
    }
}
