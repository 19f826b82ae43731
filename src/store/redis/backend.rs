//! [`Backend`]: the script, called within a deadline.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::{Cmd, ErrorKind, FromRedisValue, RedisError, Script, ServerErrorKind};
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};

use super::address::{Address, InvalidUrl};
use super::failure::{Failure, classify, is_demotion};
use super::links::{Link, Links};
use crate::decision::FailureCode;
use crate::limits::{Limits, Refill};
use crate::sync::{AtomicBool, Ordering};

const SOURCE: &str = include_str!("bucket.lua");

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
        let mut connection = link.connection.clone();
        let mut answer =
            connection.send(&Self::command("EVALSHA", &self.digest, bucket, call)).await;
        if answer.as_ref().is_err_and(is_unknown_script) {
            // It was not executed. This teaches the backend the script as well.
            answer = connection.send(&Self::command("EVAL", SOURCE, bucket, call)).await;
        }
        match answer.and_then(|value| Ok(<(i64, u64, u64, u64)>::from_redis_value(value)?)) {
            Ok((granted, spent, part, now)) => {
                self.links.answered(link);
                Ok(Reply { granted, spent, part, now })
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
        let mut command = redis::cmd(name);
        command.arg(script).arg(1).arg(bucket);
        command.arg(limits.tokens()).arg(limits.period_micros()).arg(limits.capacity());
        command.arg(u8::from(limits.refill() == Refill::Interval));
        command.arg(least).arg(most);
        command.arg(u64::try_from(slack.as_millis()).unwrap_or(u64::MAX));
        // A plain request is the shorter for having none of this.
        if !hold.is_zero() || ends.tokens > 0 || now.is_some() {
            command.arg(u64::try_from(hold.as_micros()).unwrap_or(u64::MAX));
            command.arg(ends.tokens).arg(ends.since);
            if let Some(now) = now {
                command.arg(now);
            }
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

fn is_unknown_script(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}
