//! Buckets in a Redis or Valkey that many nodes share.
//!
//! One call of one script on one key decides. The time is the server's, the deadline is ours, and what happens when
//! the backend cannot decide is the [failure mode](FailureMode) of the class, at one place.

mod address;
mod backend;
mod failure;
mod key;
mod level;
mod links;
mod refusals;
#[cfg(test)]
#[expect(dead_code, reason = "the integration tests use all of it")]
#[path = "../../../tests/redis/server.rs"]
pub(crate) mod server;

use std::fmt;
use std::time::Duration;

pub(crate) use address::InvalidUrl;
pub(crate) use failure::Failure;
pub(crate) use key::{KeyId, Scope};

use self::backend::{Backend, Call, Reply};
use self::key::Keyring;
use self::refusals::Refusals;
use crate::bucket::Level;
use crate::clock::Clock;
use crate::config;
use crate::limits::Limits;

/// The buckets of all clustered classes of a limiter.
pub(crate) struct Store {
    backend: Backend,
    keyring: Keyring,
    refusals: Refusals,
    slack: Duration,
    /// Whether the script takes its time from the limiter's clock. The server's is right for everything but tests.
    timed_by_caller: bool,
}

/// What a request came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decided {
    pub(crate) admitted: bool,
    /// How the bucket stands afterwards.
    pub(crate) level: Level,
}

impl Store {
    pub(crate) fn new(
        settings: &config::Redis,
        secret: &config::Secret,
    ) -> Result<Self, InvalidUrl> {
        Ok(Self {
            backend: Backend::new(settings.url.expose(), settings.operation_timeout)?,
            keyring: Keyring::new(&settings.namespace, secret.expose()),
            refusals: Refusals::new(),
            slack: settings.expiration_slack,
            timed_by_caller: false,
        })
    }

    /// Lets the script run at the times of this process.
    #[cfg(test)]
    pub(crate) fn time_by_caller(&mut self) {
        self.timed_by_caller = true;
    }

    /// Where the keys of a policy are told apart from all others.
    pub(crate) fn scope(&self, policy: &str, revision: &str) -> Scope {
        self.keyring.scope(policy, revision)
    }

    /// Takes `cost` tokens, at most the capacity, from the bucket of `key`. Only refusals that are remembered here depend on
    /// `clock`, this process's own.
    pub(crate) async fn acquire(
        &self,
        key: KeyId,
        limits: Limits,
        cost: u64,
        clock: &dyn Clock,
    ) -> Result<Decided, Failure> {
        if let Some(level) = self.refusals.find(&key, limits, cost, clock.now()) {
            return Ok(Decided { admitted: false, level });
        }
        let epoch = self.refusals.epoch();
        let (granted, level) = self.call(&key, limits, signed(cost), clock).await?;
        let admitted = granted != 0;
        if !admitted {
            // Its wait counts from here on: the answer is older, so nobody is told to wait for too short a time.
            self.refusals.remember(key, epoch, level, cost, clock.now());
        }
        Ok(Decided { admitted, level })
    }

    /// How the bucket of `key` stands.
    pub(crate) async fn peek(
        &self,
        key: KeyId,
        limits: Limits,
        clock: &dyn Clock,
    ) -> Result<Level, Failure> {
        Ok(self.call(&key, limits, 0, clock).await?.1)
    }

    /// Gives `cost` tokens back to the bucket of `key`, which does not get more than full.
    pub(crate) async fn refund(
        &self,
        key: KeyId,
        limits: Limits,
        cost: u64,
        clock: &dyn Clock,
    ) -> Result<Level, Failure> {
        let (_, level) = self.call(&key, limits, -signed(cost), clock).await?;
        self.refusals.forget(&key);
        Ok(level)
    }

    async fn call(
        &self,
        key: &KeyId,
        limits: Limits,
        tokens: i64,
        clock: &dyn Clock,
    ) -> Result<(i64, Level), Failure> {
        let now = self.timed_by_caller.then(|| clock.now());
        let call = Call { limits, least: tokens, most: tokens, slack: self.slack, now };
        match self.backend.call(&self.keyring.name(key), &call).await {
            Ok(Reply { granted, spent, part, now }) => {
                Ok((granted, Level::shared(limits, spent, part, now)))
            }
            Err(failure) => {
                self.refusals.forget_all();
                Err(failure)
            }
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("backend", &self.backend).finish_non_exhaustive()
    }
}

/// Costs are at most [`Limits::MAX_TOKENS`].
fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}
