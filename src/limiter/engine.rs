//! [`Engine`]: everything of a limiter that does not know its catalogue.

use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use ahash::RandomState;

use crate::clock::Clock;
use crate::decision::{AcquireError, FailureCode, Outcome, Verdict};
use crate::key::{Fingerprint, ToKey};
use crate::store::local::{Answer, Live, Policies, PolicyId, Saturation, Table};
use crate::sync::Mutex;

/// Policies by number, their buckets, and a clock.
pub(crate) struct Engine {
    policies: Policies,
    table: Table,
    hashes: RandomState,
    clock: Box<dyn Clock>,
    /// Held while a policy is replaced.
    replacing: Mutex<()>,
    pub(crate) sweep_interval: Duration,
}

impl Engine {
    pub(crate) fn new(table: Table, sweep_interval: Duration, clock: Box<dyn Clock>) -> Self {
        Self {
            policies: Policies::new(),
            table,
            hashes: RandomState::new(),
            clock,
            replacing: Mutex::new(()),
            sweep_interval,
        }
    }

    /// Adds a policy; `None` when there are too many.
    pub(crate) fn add(&self, configure: impl FnOnce(u64) -> Live) -> Option<PolicyId> {
        self.policies.add(configure(self.clock.now()))
    }

    /// Changes what holds for a policy; `change` gets it with the present time.
    pub(crate) fn replace(&self, policy: PolicyId, change: impl FnOnce(Live, u64) -> Live) {
        let _one_at_a_time = self.replacing.lock();
        let before = self.policies.read(policy);
        let live = change(before, self.clock.now());
        self.policies.replace(policy, live);
        if live.converts(&before) {
            self.table.convert(&self.policies, policy);
        }
    }

    /// The hash of a key under a policy. Nothing else of the key is kept.
    #[inline]
    pub(crate) fn hash(&self, policy: PolicyId, key: &(impl ToKey + ?Sized)) -> u64 {
        let mut hasher = self.hashes.build_hasher();
        hasher.write_u64((self.policies.salt(policy) << 16) | u64::from(policy.index()));
        let mut fingerprint = Fingerprint::new(hasher);
        key.write_key(&mut fingerprint);
        fingerprint.finish()
    }

    /// Takes `cost` tokens from the bucket of the key with this hash.
    #[inline]
    pub(crate) fn acquire(
        &self,
        policy: PolicyId,
        hash: u64,
        cost: u64,
    ) -> Result<Verdict, AcquireError> {
        let (live, answer) = self.table.acquire(&self.policies, policy, hash, cost, &*self.clock);
        let limits = live.meter.limits;
        let verdict = |outcome, level, failure| Verdict {
            outcome,
            enforced: !live.shadow,
            cost,
            limits,
            level,
            failure,
        };
        Ok(match answer {
            Answer::AboveCapacity => {
                return Err(AcquireError::CostAboveCapacity { cost, capacity: limits.capacity() });
            }
            Answer::Decided { admitted: true, level } => {
                verdict(Outcome::Permitted, Some(level), None)
            }
            Answer::Decided { admitted: false, level } => {
                verdict(Outcome::QuotaExceeded, Some(level), None)
            }
            Answer::Disabled => verdict(Outcome::Disabled, None, None),
            Answer::Saturated => {
                let outcome = match live.saturation {
                    Saturation::Closed => Outcome::BackendFailureClosed,
                    Saturation::Evict | Saturation::Open => Outcome::BackendFailureOpen,
                };
                verdict(outcome, None, Some(FailureCode::CapacityExhausted))
            }
        })
    }

    /// What `acquire` would answer, without taking anything.
    pub(crate) fn peek(
        &self,
        policy: PolicyId,
        hash: u64,
        cost: u64,
    ) -> Result<Verdict, AcquireError> {
        let (live, level) = self.table.peek(&self.policies, policy, hash, &*self.clock);
        let limits = live.meter.limits;
        let (outcome, level) = if !live.enabled {
            (Outcome::Disabled, None)
        } else if cost > limits.capacity() {
            return Err(AcquireError::CostAboveCapacity { cost, capacity: limits.capacity() });
        } else if level.affords(cost) {
            (Outcome::Permitted, Some(level))
        } else {
            (Outcome::QuotaExceeded, Some(level))
        };
        Ok(Verdict { outcome, enforced: !live.shadow, cost, limits, level, failure: None })
    }

    /// The buckets that are not full.
    pub(crate) fn tracked_keys(&self) -> u64 {
        self.table.tracked(&self.policies, &*self.clock)
    }

    /// The buckets that made way for new keys since the start.
    pub(crate) fn evictions(&self) -> u64 {
        self.table.evictions()
    }

    /// Erases full buckets and says how many they were.
    pub(crate) fn sweep(&self) -> u64 {
        self.table.sweep(&self.policies, &*self.clock)
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("sweep_interval", &self.sweep_interval)
            .finish_non_exhaustive()
    }
}
