//! What a decision of many nodes costs.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use redis::AsyncConnectionConfig;
use tokio::time::Instant;
use tollgate::decision::Outcome as Decided;
use tollgate::{Class, Limiter};

use super::{Budget, Outcome, TIMEOUT};

/// The commands of a decision without the decision: a value as long as a bucket, and the shortest answer.
const BARE: &str = "redis.call('TIME') redis.call('GET', KEYS[1]) \
     redis.call('SET', KEYS[1], '32 bytes, which is a bucket long', 'PX', 61000) return 1";
/// A caller that counts what it does.
type Counting = Pin<Box<dyn Future<Output = Result<u64, String>> + Send>>;
/// Of each kind, in turn; the median counts.
const ROUNDS: u64 = 41;
const ROUND: Duration = Duration::from_millis(200);

/// Decisions on keys that are all different, beside the bare commands, in turn.
pub(super) async fn throughput(url: &str) -> Outcome<()> {
    let budget = Budget::new(url, 600, 120);
    let namespace: Arc<str> = budget.namespace.as_str().into();
    let limiter = budget.limiter()?;
    let client = redis::Client::open(url)?;
    let info = client.get_connection_info().clone();
    let tcp = info.tcp_settings().clone().set_nodelay(true);
    let client = redis::Client::open(info.set_tcp_settings(tcp))?;
    // With the deadline and the queue that the limiter has.
    let config = AsyncConnectionConfig::new()
        .set_response_timeout(Some(TIMEOUT))
        .set_pipeline_buffer_size(4_096);
    let connection = client.get_multiplexed_async_connection_with_config(&config).await?;
    let mut load = redis::cmd("SCRIPT");
    let digest: String = load.arg("LOAD").arg(BARE).query_async(&mut connection.clone()).await?;
    let digest: Arc<str> = digest.into();
    let number = Arc::new(AtomicU64::new(0));
    for callers in [1, 64] {
        let (mut decided, mut bare) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            decided.push(rate(callers, || distinct(limiter.clone(), Arc::clone(&number))).await?);
            let send = || {
                let (digest, namespace) = (Arc::clone(&digest), Arc::clone(&namespace));
                commands(connection.clone(), digest, namespace, Arc::clone(&number))
            };
            bare.push(rate(callers, send).await?);
        }
        let (decided, bare) = (median(decided), median(bare));
        println!(
            "{callers} callers: {decided:.0} decisions a second, bare commands {bare:.0}, ratio {:.2}",
            decided / bare
        );
    }
    Ok(())
}

/// One hot key by 64 callers, with leases of 100 tokens for 200 ms and without; then a bucket that runs dry, whose admitted
/// total has a bound.
pub(super) async fn lease(url: &str) -> Outcome<()> {
    const TTL: Duration = Duration::from_millis(200);
    let mut budget = Budget::new(url, 60_000_000, 2_000_000_000);
    let namespace = budget.namespace.clone();
    let plain = budget.limiter()?;
    budget.lease = Some((100, TTL));
    budget.namespace = format!("{namespace}-leased");
    let leased = budget.limiter()?;
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        without.push(rate(64, || hot(plain.clone(), Counted::All)).await?);
        with.push(rate(64, || hot(leased.clone(), Counted::All)).await?);
    }
    let (without, with) = (median(without), median(with));
    println!(
        "one hot key, 64 callers: {without:.0} a second without leases, {with:.0} with, {:.1} times",
        with / without
    );
    leased.close().await?;

    // 50,000 tokens, and as many more in a second.
    let (per_minute, burst) = (3_000_000, 50_000);
    budget = Budget { namespace: format!("{namespace}-bound"), per_minute, burst, ..budget };
    let nodes = [budget.limiter()?, budget.limiter()?];
    let started = Instant::now();
    let mut admitted = 0;
    for _ in 0..5 {
        let [one, other] =
            nodes.each_ref().map(|node| count(32, || hot(node.clone(), Counted::Admitted)));
        let (one, other) = tokio::join!(one, other);
        admitted += one? + other?;
    }
    let window = started.elapsed();
    let refilled = u128::from(per_minute) * (window + TTL).as_micros() / 60_000_000;
    let most = u128::from(burst) + refilled;
    println!(
        "two nodes, 32 callers each: {admitted} admitted in {:.3} s and a lease, of at most {most}",
        window.as_secs_f64()
    );
    if u128::from(admitted) > most {
        return Err(format!("{admitted} admitted are more than {most}").into());
    }
    Ok(())
}

/// What a caller on the hot key counts.
#[derive(Clone, Copy)]
enum Counted {
    /// Admitted requests among others.
    Admitted,
    /// All requests, and each must be admitted.
    All,
}

/// How often `work` is done a second by so many callers, each of which does it until told that time is over.
async fn rate<F: FnOnce(Instant) -> Counting>(callers: u64, work: impl Fn() -> F) -> Outcome<f64> {
    let started = Instant::now();
    let done = count(callers, work).await?;
    #[expect(clippy::cast_precision_loss, reason = "a rate for people to read")]
    Ok(done as f64 / started.elapsed().as_secs_f64())
}

async fn count<F: FnOnce(Instant) -> Counting>(callers: u64, work: impl Fn() -> F) -> Outcome<u64> {
    let deadline = Instant::now() + ROUND;
    let running: Vec<_> = (0..callers).map(|_| tokio::spawn(work()(deadline))).collect();
    let mut done = 0;
    for caller in running {
        done += caller.await??;
    }
    Ok(done)
}

fn distinct(limiter: Limiter, number: Arc<AtomicU64>) -> impl FnOnce(Instant) -> Counting {
    move |deadline| {
        Box::pin(async move {
            let mut done = 0;
            while Instant::now() < deadline {
                let key = number.fetch_add(1, Ordering::Relaxed);
                let decision = limiter.acquire(Class::Export, key).await;
                let decision = decision.map_err(|error| error.to_string())?;
                if decision.failure().is_some() {
                    return Err(format!("{:?}", decision.outcome()));
                }
                done += 1;
            }
            Ok(done)
        })
    }
}

fn hot(limiter: Limiter, counted: Counted) -> impl FnOnce(Instant) -> Counting {
    move |deadline| {
        Box::pin(async move {
            let mut done = 0;
            while Instant::now() < deadline {
                let decision = limiter.acquire(Class::Export, "hot").await;
                let decision = decision.map_err(|error| error.to_string())?;
                match (counted, decision.outcome()) {
                    (_, Decided::Permitted) => done += 1,
                    (Counted::Admitted, Decided::QuotaExceeded) => tokio::task::yield_now().await,
                    (_, outcome) => return Err(format!("{outcome:?}")),
                }
            }
            Ok(done)
        })
    }
}

fn commands(
    mut connection: redis::aio::MultiplexedConnection,
    digest: Arc<str>,
    namespace: Arc<str>,
    number: Arc<AtomicU64>,
) -> impl FnOnce(Instant) -> Counting {
    move |deadline| {
        Box::pin(async move {
            let mut done = 0;
            while Instant::now() < deadline {
                let number = number.fetch_add(1, Ordering::Relaxed);
                // As long as the name of a bucket.
                let key = format!("{namespace}:v1:00000000:{number:064x}");
                let mut command = redis::cmd("EVALSHA");
                command.arg(&*digest).arg(1).arg(key);
                let answer: redis::RedisResult<u64> = command.query_async(&mut connection).await;
                answer.map_err(|error| error.to_string())?;
                done += 1;
            }
            Ok(done)
        })
    }
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or_default()
}
