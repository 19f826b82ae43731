//! [`Backend`]: the script, called within a deadline.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::{Cmd, ErrorKind, FromRedisValue, RedisError, Script, ServerErrorKind, Value};
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};

use super::address::{Address, InvalidUrl};
use super::failure::{Failure, classify, is_demotion};
use super::links::{Link, Links};
use super::signed;
use crate::bucket::Level;
use crate::decision::FailureCode;
use crate::limits::{Limits, Refill};
use crate::sync::{AtomicBool, Ordering};

const SOURCE: &str = include_str!("bucket.lua");
/// The longest time that a bucket is kept for, in milliseconds: the script's, 285 years.
const LONGEST: i64 = 9_007_199_254_740;

/// One Redis or Valkey, or a cluster of them.
pub(super) struct Backend {
    links: Arc<Links>,
    /// The script's digest, by which the backend knows it once it has seen it.
    digest: String,
    timeout: Duration,
    /// Whether the last operation failed; for the log, which tells episodes and not operations.
    failing: AtomicBool,
}

/// What to do with one bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) limits: Limits,
    /// Takes up to `most` tokens, and none unless `least` are there; see the script.
    pub(super) least: i64,
    pub(super) most: i64,
    /// How much longer than its time to full a bucket is kept.
    pub(super) slack: Duration,
    /// Half of the time for which what is taken counts as held by this node; zero for a plain request.
    pub(super) hold: Duration,
    /// What is held no longer.
    pub(super) ends: Ended,
    /// The script's time, in microseconds; the server's when it is `None`, as always outside of tests.
    pub(super) now: Option<u64>,
}

/// Tokens of a lease that is over, and the backend's time when it began, in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ended {
    pub(super) tokens: u64,
    pub(super) since: u64,
}

/// What the script answers; see there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) granted: i64,
    pub(super) spent: u64,
    pub(super) part: u64,
    pub(super) now: u64,
}

impl Backend {
    pub(super) fn new(url: &str, timeout: Duration) -> Result<Self, InvalidUrl> {
        let links = Arc::new(Links::new(Address::parse(url, timeout)?));
        let digest = Script::new(SOURCE).get_hash().to_owned();
        Ok(Self { links, digest, timeout, failing: AtomicBool::new(false) })
    }

    /// When an operation that starts now must have ended.
    pub(super) fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }

    /// The one place where a decision can take time, and so the one place with a deadline. After it nobody waits for the
    /// answer, and nothing is sent again: it may have been counted.
    pub(super) async fn call(
        &self,
        bucket: &str,
        call: &Call,
        deadline: Instant,
    ) -> Result<Reply, Failure> {
        if Handle::try_current().is_err() {
            tracing::error!(
                "a clustered class was asked outside of a tokio runtime, without which it cannot decide"
            );
            return Err(Failure::Unavailable);
        }
        let mut used = None;
        let answer = timeout_at(deadline, self.ask(bucket, call, &mut used)).await;
        let answer = answer.unwrap_or_else(|_| {
            if let Some(link) = &used {
                self.links.silent(link, Failure::Late);
            }
            Err(Failure::Late)
        });
        self.log(answer.err());
        answer
    }

    async fn ask(
        &self,
        bucket: &str,
        call: &Call,
        used: &mut Option<Link>,
    ) -> Result<Reply, Failure> {
        let link = used.insert(self.links.link().await?);
        let mut answer =
            link.connection.send(&Self::command("EVALSHA", &self.digest, bucket, call)).await;
        if answer.as_ref().is_err_and(is_unknown_script) {
            // It was not executed. This teaches the backend the script as well.
            answer = link.connection.send(&Self::command("EVAL", SOURCE, bucket, call)).await;
        }
        match answer.and_then(|value| Reply::read(value, call.most)) {
            Ok(reply) => {
                self.links.answered(link);
                Ok(reply)
            }
            Err(error) => {
                let failure = classify(&error);
                if link.connection.is_cluster() {
                    // The library replaces connections to single nodes by itself.
                    self.links.silent(link, failure);
                } else if error.is_unrecoverable_error()
                    || error.is_io_error()
                    || is_demotion(&error)
                {
                    self.links.broken(link, failure);
                } else {
                    self.links.answered(link);
                }
                Err(failure)
            }
        }
    }

    fn command(name: &str, script: &str, bucket: &str, call: &Call) -> Cmd {
        let Call { limits, least, most, slack, hold, ends, now } = *call;
        let period = limits.period_micros();
        let unit = match limits.refill() {
            Refill::Greedy => period,
            Refill::Interval => 1,
        };
        // A day at most.
        let slack = i64::try_from(slack.as_millis()).unwrap_or(LONGEST);
        let mut command = Cmd::with_capacity(8, script.len() + bucket.len() + 192);
        command.arg(name).arg(script).arg(1).arg(bucket);
        let [tokens, period, capacity, unit] =
            [limits.tokens(), period, limits.capacity(), unit].map(signed);
        command.arg(&pack([tokens, period, capacity, unit, slack, most])[..]);
        let is_leased = least != most || !hold.is_zero() || ends.tokens > 0;
        match u64::try_from(most) {
            Ok(cost) if !is_leased && cost > 0 => {
                let full = Level::shared(limits, cost, 0, 0).until_full().as_millis();
                command
                    .arg(i64::try_from(full).map_or(LONGEST, |full| full.min(LONGEST)) + 1 + slack)
            }
            _ => command.arg(""),
        };
        if is_leased || now.is_some() {
            let hold = i64::try_from(hold.as_micros()).unwrap_or(i64::MAX);
            command.arg(&pack([least, hold, signed(ends.tokens), signed(ends.since)])[..]);
        }
        if let Some(now) = now {
            command.arg(now);
        }
        command
    }

    fn log(&self, failure: Option<Failure>) {
        let failing = failure.is_some();
        if self.failing.load(Ordering::Relaxed) == failing
            || self.failing.swap(failing, Ordering::Relaxed) == failing
        {
            return;
        }
        if let Some(failure) = failure {
            tracing::warn!(
                code = FailureCode::from(failure).as_str(),
                "the backend of clustered classes does not decide; each class follows its failure mode"
            );
        } else {
            tracing::info!("the backend of clustered classes decides again");
        }
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Backend").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl Reply {
    /// The answer to a call for `most` tokens.
    fn read(value: Value, most: i64) -> Result<Self, RedisError> {
        if let Value::BulkString(bucket) = &value {
            if let Some([spent, part, _, now]) = unpack(bucket) {
                return Ok(Self { granted: most, spent, part, now });
            }
        }
        let (granted, spent, part, now) = FromRedisValue::from_redis_value(value)?;
        Ok(Self { granted, spent, part, now })
    }
}

/// Whole numbers as the script reads them: as doubles, which hold all that it counts with.
#[expect(clippy::cast_precision_loss, reason = "numbers are below 2^53, or as good as infinite")]
fn pack<const N: usize>(numbers: [i64; N]) -> Vec<u8> {
    numbers.into_iter().flat_map(|number| (number as f64).to_le_bytes()).collect()
}

/// The first numbers of a bucket as the script stores it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what is stored are whole numbers from 0 to 2^53"
)]
fn unpack<const N: usize>(bucket: &[u8]) -> Option<[u64; N]> {
    let mut numbers = [0; N];
    for (number, place) in numbers.iter_mut().zip(0..) {
        let double = bucket.get(8 * place..8 * place + 8)?;
        *number = f64::from_le_bytes(double.try_into().ok()?) as u64;
    }
    Some(numbers)
}

fn is_unknown_script(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}
