//! [`Engine`]: everything of a limiter that does not know its catalogue.

use std::fmt;
use std::hash::BuildHasher;
use std::iter;
use std::time::Duration;

use ahash::RandomState;

use super::closing::Closing;
#[cfg(feature = "redis")]
use super::clustered::{CLUSTERED, Clustered};
use super::names::Names;
use crate::bucket::Level;
use crate::clock::{Clock, Time};
use crate::config::{Mode, Placement, Saturation};
use crate::decision::{AcquireError, Algorithm, FailureCode, Outcome, Verdict};
use crate::key::{Fingerprint, ToKey};
use crate::observe::{DecisionEvent, Observers, SweepEvent};
use crate::store::local::{
    Answer, Entry, Label, Live, Policies, Policy, PolicyId, Setup, Swept, Table,
};
#[cfg(feature = "redis")]
use crate::store::redis::KeyId;

/// Policies by number, their buckets, and a clock.
pub(crate) struct Engine {
    policies: Policies,
    /// The registry of all who have none of their own.
    shared: Table,
    /// One class has each of these.
    own: Box<[Table]>,
    hashes: RandomState,
    pub(super) clock: Time,
    pub(crate) names: Names,
    pub(crate) closing: Closing,
    pub(crate) observers: Observers,
    pub(crate) sweep_interval: Duration,
    /// The policies whose buckets many nodes share.
    #[cfg(feature = "redis")]
    pub(super) clustered: Option<Clustered>,
}

/// One bucket and what is asked of it. There is nothing of its key but a hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub(crate) policy: PolicyId,
    pub(crate) hash: u64,
    pub(crate) cost: u64,
    /// The bucket, when many nodes share it.
    #[cfg(feature = "redis")]
    pub(super) shared: Option<KeyId>,
}

impl Engine {
    pub(crate) fn new(
        shared: Table,
        own: Box<[Table]>,
        names: Names,
        sweep_interval: Duration,
        clock: Time,
    ) -> Self {
        Self {
            policies: Policies::new(),
            shared,
            own,
            hashes: RandomState::new(),
            clock,
            names,
            closing: Closing::default(),
            observers: Observers::new(),
            sweep_interval,
            #[cfg(feature = "redis")]
            clustered: None,
        }
    }

    /// Adds a policy; `None` when there are too many. `setup` gets the present time.
    pub(crate) fn add(
        &self,
        placement: Placement,
        setup: impl FnOnce(u64) -> Setup,
    ) -> Option<PolicyId> {
        let policy = self.policies.add(setup(self.clock.now()))?;
        self.place(policy, placement);
        self.policies.set_salt(policy, self.salt(policy));
        Some(policy)
    }

    /// How many policies more there can be.
    pub(super) fn room(&self) -> usize {
        self.policies.room()
    }

    /// Lets `change` replace what holds for policies, while nobody else does, and brings all buckets onto their meters.
    pub(crate) fn reloading<T>(&self, change: impl FnOnce() -> T) -> T {
        self.policies.changing(|| {
            let changed = change();
            for table in self.tables() {
                table.convert(&self.policies);
            }
            changed
        })
    }

    /// Replaces what holds for a policy; `change` gets it with the present time. Once in a [reload](Self::reloading).
    pub(crate) fn replace(
        &self,
        policy: PolicyId,
        revision: Option<&str>,
        placement: Placement,
        change: impl FnOnce(Live, u64) -> Live,
    ) {
        let live = change(self.policies.read(policy), self.clock.now());
        self.policies.replace(policy, live);
        *self.policies.label(policy).revision.lock() = revision.map(Into::into);
        self.place(policy, placement);
        self.policies.set_salt(policy, self.salt(policy));
    }

    #[cfg(feature = "redis")]
    fn place(&self, policy: PolicyId, placement: Placement) {
        if let Some(clustered) = &self.clustered {
            let Label { name, tier, revision } = self.policies.label(policy);
            let revision = revision.lock().clone();
            clustered.place(policy, name, tier.as_deref(), revision.as_deref(), placement);
        }
    }

    #[cfg(not(feature = "redis"))]
    #[expect(clippy::unused_self, reason = "there is one place without the backend")]
    fn place(&self, _: PolicyId, _: Placement) {}

    /// Where the buckets of a policy live.
    #[cfg_attr(
        not(feature = "redis"),
        expect(clippy::unused_self, reason = "there is one place without the backend")
    )]
    pub(super) fn mode(&self, policy: PolicyId) -> Mode {
        #[cfg(feature = "redis")]
        if self.clustered.as_ref().is_some_and(|clustered| clustered.has(policy)) {
            return Mode::Clustered;
        }
        let _ = policy;
        Mode::Local
    }

    /// A number of its own for each policy and revision.
    fn salt(&self, policy: PolicyId) -> u64 {
        #[cfg(feature = "redis")]
        if self.clustered.as_ref().is_some_and(|clustered| clustered.has(policy)) {
            return CLUSTERED;
        }
        // Never the salt of a clustered one.
        self.hashes.hash_one((policy, &*self.policies.label(policy).revision.lock())) | 1
    }

    /// What is asked of the bucket of a key.
    #[inline]
    pub(crate) fn claim(&self, policy: PolicyId, key: &(impl ToKey + ?Sized), cost: u64) -> Claim {
        #[cfg(feature = "redis")]
        if let Some(clustered) = &self.clustered {
            if self.policies.policy(policy).salt() == CLUSTERED {
                return clustered.claim(policy, key, cost);
            }
        }
        let mut fingerprint = Fingerprint::new(self.hashes.build_hasher());
        key.write_key(&mut fingerprint);
        Claim {
            policy,
            hash: fingerprint.finish(),
            cost,
            #[cfg(feature = "redis")]
            shared: None,
        }
    }

    /// Decides about a known bucket when nobody watches, as [`acquire`](Self::acquire) would; otherwise nothing has happened.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "a decision that is copied on its way costs half of itself"
    )]
    pub(crate) fn acquire_quickly(&self, claim: Claim) -> Option<Verdict> {
        let Claim { policy, hash, cost, .. } = claim;
        if !self.observers.is_empty() || self.closing.check().is_err() {
            return None;
        }
        let known = self.policies.policy(policy);
        let (table, hash) = (self.table_of(known), hash ^ known.salt());
        let (charge, shadow) = table.acquire_quickly(known, policy, hash, cost, &self.clock)?;
        Some(Verdict {
            mode: Mode::Local,
            outcome: if charge.admitted { Outcome::Permitted } else { Outcome::QuotaExceeded },
            enforced: !shadow,
            cost,
            numbers: true,
            level: charge.level,
            failure: None,
            evicted: false,
        })
    }

    /// Takes the tokens, or says why not.
    // By value, so that the usual request, which does not come here, need not write down what it asks.
    #[inline(never)]
    pub(crate) fn acquire(
        &self,
        policy: PolicyId,
        hash: u64,
        cost: u64,
    ) -> Result<Verdict, AcquireError> {
        let verdict = self.decide(policy, hash, cost)?;
        self.tell(policy, &verdict, None);
        Ok(verdict)
    }

    /// Takes the tokens of every claim or, when one is refused, of none.
    pub(crate) fn acquire_all(&self, claims: &[Claim]) -> Result<Vec<Verdict>, AcquireError> {
        let verdicts = self.take_all(claims)?;
        let refused = verdicts.iter().any(|verdict| !verdict.permitted());
        for (claim, verdict) in claims.iter().zip(&verdicts) {
            // Who would have been admitted has not been, and has not been refused.
            if !refused || !verdict.permitted() {
                self.tell(claim.policy, verdict, None);
            }
        }
        Ok(verdicts)
    }

    /// The same without telling anybody.
    pub(super) fn take_all(&self, claims: &[Claim]) -> Result<Vec<Verdict>, AcquireError> {
        let mut verdicts = self.peek_all(claims)?;
        if verdicts.iter().all(Verdict::permitted) {
            for (position, claim) in claims.iter().enumerate() {
                let decided = self.decide(claim.policy, claim.hash, claim.cost);
                if let (Ok(verdict), Some(place)) = (&decided, verdicts.get_mut(position)) {
                    *place = *verdict;
                    if verdict.permitted() {
                        continue;
                    }
                }
                // Another request was faster. What was taken goes back, which leaves every bucket as if nothing had been.
                let taken = claims.iter().zip(&verdicts).take(position);
                for (claim, _) in taken.filter(|(_, verdict)| verdict.outcome == Outcome::Permitted)
                {
                    self.refund(*claim);
                }
                let refusal = decided?;
                verdicts = self.peek_all(claims)?;
                if let Some(place) = verdicts.get_mut(position) {
                    *place = refusal;
                }
                break;
            }
        }
        Ok(verdicts)
    }

    /// What `acquire` would answer, without taking anything.
    pub(crate) fn peek(&self, claim: Claim) -> Result<Verdict, AcquireError> {
        let Claim { policy, hash, cost, .. } = claim;
        self.closing.check()?;
        let (table, hash) = self.bucket(policy, hash);
        let (live, level) = table.peek(&self.policies, policy, hash, &self.clock);
        if !live.enabled {
            return Ok(verdict(&live, cost, Outcome::Disabled));
        }
        let capacity = live.meter.limits.capacity();
        if cost > capacity {
            return Err(AcquireError::CostAboveCapacity { cost, capacity });
        }
        let outcome = if level.affords(cost) { Outcome::Permitted } else { Outcome::QuotaExceeded };
        Ok(Verdict { numbers: true, level, ..verdict(&live, cost, outcome) })
    }

    /// Gives tokens back, at most until the bucket is full.
    pub(crate) fn refund(&self, claim: Claim) {
        #[cfg(feature = "redis")]
        if let (Some(key), Some(clustered)) = (claim.shared, &self.clustered) {
            let limits = self.policies.read(claim.policy).meter.limits;
            return clustered.refund(key, limits, claim.cost);
        }
        let Claim { policy, hash, cost, .. } = claim;
        let (table, hash) = self.bucket(policy, hash);
        table.refund(&self.policies, policy, hash, cost, &self.clock);
    }

    /// What holds for a policy at the moment.
    pub(crate) fn live(&self, policy: PolicyId) -> Live {
        self.policies.read(policy)
    }

    /// How a policy is called.
    pub(crate) fn label(&self, policy: PolicyId) -> &Label {
        self.policies.label(policy)
    }

    /// Which registry has the buckets of a policy.
    pub(crate) fn registry_of(&self, policy: PolicyId) -> usize {
        self.policies.policy(policy).registry()
    }

    /// The buckets that are not full.
    pub(crate) fn tracked_keys(&self) -> u64 {
        self.tables().map(|table| table.tracked(&self.policies, &self.clock)).sum()
    }

    /// The buckets that made way for new keys since the start.
    pub(crate) fn evictions(&self) -> u64 {
        self.tables().map(Table::evictions).sum()
    }

    /// Erases full buckets and says how many they were. Meters that have lived for half of their time start again, so that
    /// no request has to see to it.
    pub(crate) fn sweep(&self) -> u64 {
        self.renew();
        let mut total = Swept::default();
        for table in self.tables() {
            let swept = table.sweep(&self.policies, &self.clock);
            total.erased += swept.erased;
            total.tracked += swept.tracked;
        }
        if !self.observers.is_empty() {
            let Swept { erased, tracked } = total;
            self.observers.swept(&SweepEvent { erased, tracked });
        }
        total.erased
    }

    fn renew(&self) {
        let is_due = |policy: &PolicyId| self.live(*policy).meter.is_aged(self.clock.now());
        if self.policies.ids().any(|policy| is_due(&policy)) {
            self.reloading(|| {
                for policy in self.policies.ids().filter(is_due) {
                    let live = self.live(policy).restarted(self.clock.now());
                    self.policies.replace(policy, live);
                }
            });
        }
    }

    fn peek_all(&self, claims: &[Claim]) -> Result<Vec<Verdict>, AcquireError> {
        claims.iter().map(|claim| self.peek(*claim)).collect()
    }

    fn decide(&self, policy: PolicyId, hash: u64, cost: u64) -> Result<Verdict, AcquireError> {
        self.closing.check()?;
        let (table, hash) = self.bucket(policy, hash);
        let (live, answer) = table.acquire(&self.policies, policy, hash, cost, &self.clock);
        Ok(match answer {
            Answer::Decided { admitted, level, entry } => {
                if entry == Entry::New && live.saturation != Saturation::Evict {
                    self.policies.note_saturation(policy, false);
                }
                let evicted = entry == Entry::Evicting;
                let outcome = if admitted { Outcome::Permitted } else { Outcome::QuotaExceeded };
                Verdict { numbers: true, level, evicted, ..verdict(&live, cost, outcome) }
            }
            Answer::Disabled => verdict(&live, cost, Outcome::Disabled),
            Answer::Saturated => self.saturated(policy, &live, cost),
            Answer::AboveCapacity => {
                let capacity = live.meter.limits.capacity();
                return Err(AcquireError::CostAboveCapacity { cost, capacity });
            }
        })
    }

    #[cold]
    fn saturated(&self, policy: PolicyId, live: &Live, cost: u64) -> Verdict {
        if self.policies.note_saturation(policy, true) {
            let class = &*self.policies.label(policy).name;
            tracing::warn!(class, "no slot is free for a new key; raise max_tracked_keys");
        }
        let outcome = match live.saturation {
            Saturation::Closed => Outcome::BackendFailureClosed,
            Saturation::Evict | Saturation::Open => Outcome::BackendFailureOpen,
        };
        let failure = Some(FailureCode::CapacityExhausted);
        Verdict { failure, ..verdict(live, cost, outcome) }
    }

    #[inline]
    pub(super) fn tell(&self, policy: PolicyId, verdict: &Verdict, latency: Option<Duration>) {
        if !self.observers.is_empty() {
            self.tell_observers(policy, verdict, latency);
        }
    }

    #[cold]
    fn tell_observers(&self, policy: PolicyId, verdict: &Verdict, latency: Option<Duration>) {
        let label = self.policies.label(policy);
        let revision = label.revision.lock().clone();
        self.observers.decided(&DecisionEvent {
            class: &label.name,
            tier: label.tier.as_deref(),
            revision: revision.as_deref(),
            mode: verdict.mode,
            algorithm: Algorithm::TokenBucket,
            outcome: verdict.outcome,
            enforced: verdict.enforced,
            cost: verdict.cost,
            capacity: verdict.limits().capacity(),
            remaining: verdict.remaining(),
            retry_after: verdict.retry_after(),
            reset_after: verdict.reset_after(),
            failure: verdict.failure,
            evicted: verdict.evicted,
            backend_latency: latency,
        });
    }

    /// Where the bucket of a key with this hash is, and by what. The salt is as random as the hash, so what two revisions make of
    /// any two keys differs.
    fn bucket(&self, policy: PolicyId, hash: u64) -> (&Table, u64) {
        let policy = self.policies.policy(policy);
        (self.table_of(policy), hash ^ policy.salt())
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "a policy is added with a registry that there is")]
    fn table_of(&self, policy: &Policy) -> &Table {
        match policy.registry() {
            0 => &self.shared,
            own => &self.own[own - 1],
        }
    }

    fn tables(&self) -> impl Iterator<Item = &Table> {
        iter::once(&self.shared).chain(&self.own)
    }
}

/// A verdict without numbers.
#[inline]
pub(super) fn verdict(live: &Live, cost: u64, outcome: Outcome) -> Verdict {
    Verdict {
        mode: Mode::Local,
        outcome,
        enforced: !live.shadow,
        cost,
        numbers: false,
        level: Level::full(&live.meter),
        failure: None,
        evicted: false,
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("sweep_interval", &self.sweep_interval)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
