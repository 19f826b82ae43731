//! Buckets in a Redis or Valkey that many nodes share.
//!
//! One call of one script on one key decides. The time is the server's, the deadline is ours, and what happens when
//! the backend cannot decide is the [failure mode](FailureMode) of the class, at one place.

mod address;
mod backend;
mod failure;
mod key;
mod lease;
mod level;
mod links;
mod recent;
mod refusals;
#[cfg(test)]
#[expect(dead_code, reason = "the integration tests use all of it")]
#[path = "../../../tests/redis/server.rs"]
pub(crate) mod server;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

pub(crate) use address::InvalidUrl;
pub(crate) use failure::Failure;
pub(crate) use key::{KeyId, Scope};
pub(crate) use recent::Recent;

use self::backend::{Backend, Call, Ended, Reply};
use self::key::Keyring;
use self::lease::Leases;
use self::refusals::Refusals;
use crate::bucket::Level;
use crate::clock::Clock;
use crate::config::{self, Lease};
use crate::limits::Limits;

/// The buckets of all clustered classes of a limiter.
pub(crate) struct Store {
    backend: Backend,
    keyring: Keyring,
    refusals: Refusals,
    leases: Leases,
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
            leases: Leases::new(),
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

    /// Takes `cost` tokens, at most the capacity, from the bucket of `key`. What is remembered here, refusals and leases, depends on
    /// `clock`, this process's own; the bucket does not.
    pub(crate) async fn acquire(
        self: &Arc<Self>,
        key: KeyId,
        limits: Limits,
        cost: u64,
        lease: Option<Lease>,
        clock: &Arc<dyn Clock>,
    ) -> Result<Decided, Failure> {
        if let Some(level) = self.refusals.find(&key, limits, cost, clock.now()) {
            return Ok(Decided { admitted: false, level });
        }
        if let Some(lease) = lease {
            return self.take_leased(key, limits, cost, lease, clock).await;
        }
        let epoch = self.refusals.epoch();
        let deadline = self.backend.deadline();
        let asked = Asked::exactly(signed(cost));
        let (reply, level) = self.call(&key, limits, asked, deadline, &**clock).await?;
        let admitted = reply.granted != 0;
        if !admitted {
            // Its wait counts from here on: the answer is older, so nobody is told to wait for too short a time.
            self.refusals.remember(key, epoch, level, cost, clock.now());
        }
        Ok(Decided { admitted, level })
    }

    /// How the bucket of `key` stands for a request of `cost` tokens.
    pub(crate) async fn peek(
        &self,
        key: KeyId,
        limits: Limits,
        cost: u64,
        clock: &dyn Clock,
    ) -> Result<Level, Failure> {
        if let Some(level) = self.refusals.find(&key, limits, cost, clock.now()) {
            return Ok(level);
        }
        let deadline = self.backend.deadline();
        Ok(self.call(&key, limits, Asked::exactly(0), deadline, clock).await?.1)
    }

    /// Gives `cost` tokens back to the bucket of `key`, which does not get more than full.
    pub(crate) async fn refund(
        &self,
        key: KeyId,
        limits: Limits,
        cost: u64,
        clock: &dyn Clock,
    ) -> Result<(), Failure> {
        let deadline = self.backend.deadline();
        self.call(&key, limits, Asked::exactly(-signed(cost)), deadline, clock).await?;
        self.refusals.forget(&key);
        Ok(())
    }

    /// Lets no refusal of `key` hold.
    pub(crate) fn forget_refusal(&self, key: &KeyId) {
        self.refusals.forget(key);
    }

    async fn call(
        &self,
        key: &KeyId,
        limits: Limits,
        asked: Asked,
        deadline: Instant,
        clock: &dyn Clock,
    ) -> Result<(Reply, Level), Failure> {
        let now = self.timed_by_caller.then(|| clock.now());
        let Asked { least, most, hold, ends } = asked;
        let call = Call { limits, least, most, slack: self.slack, hold, ends, now };
        match self.backend.call(&self.keyring.name(key), &call, deadline).await {
            Ok(reply) => Ok((reply, Level::shared(limits, reply.spent, reply.part, reply.now))),
            Err(failure) => {
                self.refusals.forget_all();
                Err(failure)
            }
        }
    }
}

/// What is asked of a bucket; see the script.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    least: i64,
    most: i64,
    hold: Duration,
    ends: Ended,
}

impl Asked {
    fn exactly(tokens: i64) -> Self {
        Self { least: tokens, most: tokens, ..Self::default() }
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
