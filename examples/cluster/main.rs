//! Nodes that share one budget on a Redis or Valkey, and what that costs.
//!
//! ```text
//! redis-server --port 7777 --save '' &
//! REDIS_URL=redis://127.0.0.1:7777 cargo run --release --example cluster --features redis -- share
//! ```
//!
//! - `share`: two processes and a budget of two exports
//! - `storm`: ten processes with 100,000 requests on one key of 50,000 tokens
//! - `throughput`: decisions a second beside the bare commands, by 1 and by 64 callers
//! - `lease`: one hot key by 64 callers, with and without leases, and a bucket that runs dry under them
//! - `frozen`: how long requests take while the server, on this machine, is stopped
//!
//! Each fails when it finds that something does not hold.
#![expect(clippy::print_stdout, reason = "it is a program that tells what it measured")]

mod frozen;
mod measure;

use std::error::Error;
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::time::Instant;
use tollgate::config::{ConfigBuilder, FailureMode, Mode};
use tollgate::{Class, Config, Limiter};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// How long a decision may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A node's view of the budget: a class that all nodes share.
struct Budget {
    url: String,
    /// Another one is another set of buckets.
    namespace: String,
    per_minute: u64,
    burst: u64,
    lease: Option<(u64, Duration)>,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1:6379".to_owned());
    match arguments.as_slice() {
        ["share"] => processes(&url, 2, 5, 6, 2),
        ["storm"] => processes(&url, 10, 10_000, 1, 50_000),
        ["throughput"] => measure::throughput(&url).await,
        ["lease"] => measure::lease(&url).await,
        ["frozen"] => frozen::frozen(&url).await,
        ["node", requests, namespace, per_minute, burst] => {
            let (per_minute, burst) = (per_minute.parse()?, burst.parse()?);
            let namespace = (*namespace).to_owned();
            let budget = Budget { url, namespace, per_minute, burst, lease: None };
            println!("{}", node(&budget.limiter()?, requests.parse()?).await?);
            Ok(())
        }
        _ => Err("say one of share, storm, throughput, lease and frozen".into()),
    }
}

impl Budget {
    fn new(url: &str, per_minute: u64, burst: u64) -> Self {
        let namespace = format!("example-{}", std::process::id());
        Self { url: url.to_owned(), namespace, per_minute, burst, lease: None }
    }

    fn limiter(&self) -> Outcome<Limiter> {
        self.limiter_of(Config::builder().redis(&self.url, &self.namespace, TIMEOUT))
    }

    fn limiter_of(&self, config: ConfigBuilder<Class>) -> Outcome<Limiter> {
        let config = config.key_secret("the secret of an example, which is none");
        let config = config.class(Class::Export, |class| {
            let class = class.mode(Mode::Clustered).failure_mode(FailureMode::Closed);
            let class = class.per_minute(self.per_minute).burst(self.burst);
            match self.lease {
                Some((tokens, ttl)) => class.lease(tokens, ttl),
                None => class,
            }
        });
        Ok(Limiter::new(&config.build()?)?)
    }
}

/// Starts `nodes` processes at once that make so many requests each on one key.
fn processes(url: &str, nodes: u64, requests: u64, per_minute: u64, burst: u64) -> Outcome<()> {
    let namespace = format!("example-{}", std::process::id());
    let started = Instant::now();
    let mut children = Vec::new();
    for _ in 0..nodes {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("node").arg(requests.to_string()).arg(&namespace);
        command.arg(per_minute.to_string()).arg(burst.to_string());
        children.push(command.env("REDIS_URL", url).stdout(Stdio::piped()).spawn()?);
    }
    let mut admitted = 0;
    for (number, child) in children.into_iter().enumerate() {
        let output = String::from_utf8(child.wait_with_output()?.stdout)?;
        let by_node: u64 = output.trim().parse()?;
        println!("process {number}: {by_node} of {requests} requests admitted");
        admitted += by_node;
    }
    let elapsed = started.elapsed();
    let refilled = u128::from(per_minute) * elapsed.as_micros() / 60_000_000;
    println!(
        "together: {admitted} of {} in {:.1} s; the budget holds {burst}, and {refilled} came back meanwhile",
        nodes * requests,
        elapsed.as_secs_f64()
    );
    // The first request came some time after the start, so the last token may have come too late.
    let exact = u128::from(burst)..=u128::from(burst) + refilled;
    if exact.contains(&u128::from(admitted)) {
        return Ok(());
    }
    Err(format!("{admitted} are not what the budget holds").into())
}

/// Requests on one key by eight callers at once; how many were admitted.
async fn node(limiter: &Limiter, requests: u64) -> Outcome<u64> {
    const CALLERS: u64 = 8;
    let mut callers = Vec::new();
    for caller in 0..CALLERS {
        let limiter = limiter.clone();
        let share = requests / CALLERS + u64::from(caller < requests % CALLERS);
        callers.push(tokio::spawn(async move {
            let mut admitted = 0;
            for _ in 0..share {
                admitted += u64::from(limiter.acquire(Class::Export, "shared").await?.permitted());
            }
            Ok::<u64, tollgate::decision::AcquireError>(admitted)
        }));
    }
    let mut admitted = 0;
    for caller in callers {
        admitted += caller.await??;
    }
    Ok(admitted)
}
