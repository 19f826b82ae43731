//! [`Clustered`]: the policies whose buckets many nodes share.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use ahash::RandomState;
use tokio::runtime::Handle;

use super::closing::Running;
use super::engine::{Claim, Engine, verdict};
use super::start::StartError;
use crate::catalogue::Catalogue;
use crate::clock::Clock;
use crate::config::{Config, FailureMode, Lease, Mode, Placement};
use crate::decision::{AcquireError, Outcome, Verdict};
use crate::key::ToKey;
use crate::limits::Limits;
use crate::store::local::{Live, PolicyId};
use crate::store::redis::{Decided, Failure, KeyId, Recent, Scope, Store};

/// The salt that says of a policy that its buckets are shared, so that a local one costs no look anywhere else.
pub(super) const CLUSTERED: u64 = 0;

/// The shared store, and what it needs to know of each policy.
pub(super) struct Clustered {
    store: Arc<Store>,
    policies: RwLock<HashMap<PolicyId, Policy, RandomState>>,
    recent: Recent,
    clock: Arc<dyn Clock>,
}

struct Policy {
    scope: Scope,
    /// Another one for each scope.
    salt: u64,
    terms: Terms,
}

/// How a policy is shared.
#[derive(Clone, Copy)]
struct Terms {
    failure_mode: FailureMode,
    lease: Option<Lease>,
}

/// A verdict, and how long it took.
type Answer = (Verdict, Option<Duration>);

impl Clustered {
    fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { store: Arc::new(store), policies: RwLock::default(), recent: Recent::new(), clock }
    }

    /// Says where the buckets of a policy live from now on.
    pub(super) fn place(
        &self,
        policy: PolicyId,
        name: &str,
        tier: Option<&str>,
        revision: Option<&str>,
        placement: Placement,
    ) {
        let mut policies = self.policies.write().unwrap_or_else(PoisonError::into_inner);
        match placement {
            Placement::Clustered { failure_mode, lease } => {
                // A slash is in no name, so a tier is never taken for a class.
                let name = tier.map_or_else(|| name.to_owned(), |tier| format!("{name}/{tier}"));
                let scope = self.store.scope(&name, revision.unwrap_or_default());
                let salt = RandomState::new().hash_one(());
                let terms = Terms { failure_mode, lease };
                policies.insert(policy, Policy { scope, salt, terms });
            }
            Placement::Local => {
                policies.remove(&policy);
            }
        }
    }

    pub(super) fn has(&self, policy: PolicyId) -> bool {
        self.terms(policy).is_some()
    }

    /// What is asked of the bucket of a key.
    pub(super) fn claim(&self, policy: PolicyId, key: &(impl ToKey + ?Sized), cost: u64) -> Claim {
        // Copied first: no lock is held while the key is written.
        let salt = self.look(policy, |policy| policy.salt);
        let shared = salt.and_then(|salt| {
            let scope = || self.look(policy, |policy| policy.scope.clone());
            self.recent.identify(salt, key, || scope().map(|scope| scope.identify(key)))
        });
        Claim { policy, hash: 0, cost, shared }
    }

    /// Gives tokens back in the background. When the backend does not take them, they refill like any others.
    pub(super) fn refund(&self, key: KeyId, limits: Limits, cost: u64) {
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        // Whoever looks next asks the backend.
        self.store.forget_refusal(&key);
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move { store.refund(key, limits, cost, &*clock).await });
        }
    }

    fn terms(&self, policy: PolicyId) -> Option<Terms> {
        self.look(policy, |policy| policy.terms)
    }

    /// What is there is copied: counting who else looks at it would cost more where many do.
    fn look<T>(&self, policy: PolicyId, copy: impl FnOnce(&Policy) -> T) -> Option<T> {
        let policies = self.policies.read().unwrap_or_else(PoisonError::into_inner);
        policies.get(&policy).map(copy)
    }
}

impl Engine {
    /// The same with a shared store, when the configuration has one. It connects when it is first asked.
    pub(super) fn with_clustered<C: Catalogue>(
        mut self,
        config: &Config<C>,
    ) -> Result<Self, StartError> {
        if let Some((redis, secret)) = config.redis.as_ref().zip(config.key_secret.as_ref()) {
            let store = Store::new(redis, secret);
            let store = store.map_err(|error| StartError::Backend(error.to_string()))?;
            self.clustered = Some(Clustered::new(store, Arc::new(self.clock.clone())));
        }
        Ok(self)
    }

    /// Takes the tokens from what this node holds of a shared bucket when nobody watches, as
    /// [`acquire_shared`](Self::acquire_shared) would; otherwise nothing has happened.
    pub(super) fn acquire_leased(&self, claim: Claim, key: KeyId) -> Option<Verdict> {
        let clustered = self.clustered.as_ref()?;
        let lease = clustered.terms(claim.policy)?.lease?;
        let live = self.live(claim.policy);
        let limits = live.meter.limits;
        let is_plain = live.enabled && claim.cost <= limits.capacity();
        if !is_plain || !self.observers.is_empty() || self.closing.check().is_err() {
            return None;
        }
        let now = self.clock.now();
        let decided = clustered.store.spend_leased(&key, limits, claim.cost, lease, now)?;
        Some(self.verdict_shared(claim, &live, Ok(decided)))
    }

    /// Gives back what this node holds of shared buckets.
    pub(super) async fn give_back_leases(&self) {
        if let Some(clustered) = &self.clustered {
            clustered.store.give_back_leases(&clustered.clock).await;
        }
    }

    /// Takes the tokens from a shared bucket, or says why not.
    pub(super) async fn acquire_shared(
        &self,
        claim: Claim,
        key: KeyId,
    ) -> Result<Verdict, AcquireError> {
        let (verdict, latency) = self.decide_shared(claim, key).await?;
        self.tell(claim.policy, &verdict, latency);
        Ok(verdict)
    }

    /// What [`acquire_shared`](Self::acquire_shared) would answer, without taking anything.
    pub(super) async fn peek_shared(
        &self,
        claim: Claim,
        key: KeyId,
    ) -> Result<Verdict, AcquireError> {
        let (live, clustered) = match self.ask(claim)? {
            Ok(asked) => asked,
            Err(verdict) => return Ok(verdict),
        };
        let level = clustered.store.peek(key, live.meter.limits, claim.cost, &self.clock).await;
        let decided = level.map(|level| Decided { admitted: level.affords(claim.cost), level });
        Ok(self.verdict_shared(claim, &live, decided))
    }

    /// Takes the tokens of every claim or, when one is refused, of none: those of this process together, then the shared ones
    /// one after another, and what was taken before a refusal goes back.
    pub(super) async fn acquire_all_shared(
        &self,
        claims: &[Claim],
    ) -> Result<Vec<Verdict>, AcquireError> {
        for claim in claims {
            let (live, cost) = (self.live(claim.policy), claim.cost);
            let capacity = live.meter.limits.capacity();
            if live.enabled && cost > capacity {
                return Err(AcquireError::CostAboveCapacity { cost, capacity });
            }
        }
        let own: Vec<Claim> =
            claims.iter().copied().filter(|claim| claim.shared.is_none()).collect();
        let mut own_verdicts = self.take_all(&own)?;
        let mut answers: Vec<Option<Answer>> = vec![None; claims.len()];
        let mut refused = own_verdicts.iter().any(|verdict| !verdict.permitted());
        let mut taken: Vec<Claim> = Vec::new();
        if !refused {
            let permitted = own.iter().zip(&own_verdicts);
            let permitted = permitted.filter(|(_, verdict)| verdict.outcome == Outcome::Permitted);
            taken.extend(permitted.map(|(claim, _)| *claim));
            for (claim, answer) in claims.iter().zip(&mut answers) {
                let Some(key) = claim.shared else { continue };
                let (decided, latency) = match self.decide_shared(*claim, key).await {
                    Ok(decided) => decided,
                    Err(error) => {
                        self.refund_all(&taken);
                        return Err(error);
                    }
                };
                *answer = Some((decided, latency));
                if !decided.permitted() {
                    refused = true;
                    self.refund_all(&taken);
                    own_verdicts =
                        own.iter().map(|claim| self.peek(*claim)).collect::<Result<_, _>>()?;
                    break;
                }
                if decided.outcome == Outcome::Permitted {
                    taken.push(*claim);
                }
            }
        }
        let mut own_verdicts = own_verdicts.into_iter();
        let mut verdicts = Vec::with_capacity(claims.len());
        for (claim, answer) in claims.iter().zip(answers) {
            let (verdict, latency) = match (claim.shared, answer) {
                (None, _) => {
                    (own_verdicts.next().expect("a verdict for each claim of this process"), None)
                }
                (Some(_), Some(answer)) => answer,
                (Some(key), None) => (self.peek_shared(*claim, key).await?, None),
            };
            if !refused || !verdict.permitted() {
                self.tell(claim.policy, &verdict, latency);
            }
            verdicts.push(verdict);
        }
        Ok(verdicts)
    }

    fn refund_all(&self, claims: &[Claim]) {
        for claim in claims {
            self.refund(*claim);
        }
    }

    async fn decide_shared(&self, claim: Claim, key: KeyId) -> Result<Answer, AcquireError> {
        // Whoever closes the limiter waits for what is on its way.
        let _running = Running::enter(self)?;
        let (live, clustered) = match self.ask(claim)? {
            Ok(asked) => asked,
            Err(verdict) => return Ok((verdict, None)),
        };
        let asked_at = self.clock.now();
        let lease = clustered.terms(claim.policy).and_then(|terms| terms.lease);
        let limits = live.meter.limits;
        let decided =
            clustered.store.acquire(key, limits, claim.cost, lease, &clustered.clock).await;
        let latency = Duration::from_micros(self.clock.now().saturating_sub(asked_at));
        Ok((self.verdict_shared(claim, &live, decided), Some(latency)))
    }

    /// What there is to ask with; a verdict when there is nothing to ask.
    fn ask(&self, claim: Claim) -> Result<Result<(Live, &Clustered), Verdict>, AcquireError> {
        self.closing.check()?;
        let (live, cost) = (self.live(claim.policy), claim.cost);
        let disabled = Verdict { mode: Mode::Clustered, ..verdict(&live, cost, Outcome::Disabled) };
        let Some(clustered) = self.clustered.as_ref().filter(|_| live.enabled) else {
            return Ok(Err(disabled));
        };
        let capacity = live.meter.limits.capacity();
        if cost > capacity {
            return Err(AcquireError::CostAboveCapacity { cost, capacity });
        }
        Ok(Ok((live, clustered)))
    }

    /// The verdict of an answer. This is the one place where the failure mode decides.
    fn verdict_shared(
        &self,
        claim: Claim,
        live: &Live,
        decided: Result<Decided, Failure>,
    ) -> Verdict {
        let verdict =
            |outcome| Verdict { mode: Mode::Clustered, ..verdict(live, claim.cost, outcome) };
        match decided {
            Ok(Decided { admitted, level }) => {
                let outcome = if admitted { Outcome::Permitted } else { Outcome::QuotaExceeded };
                Verdict { numbers: true, level, ..verdict(outcome) }
            }
            Err(failure) => {
                let terms =
                    self.clustered.as_ref().and_then(|clustered| clustered.terms(claim.policy));
                let outcome = match terms.map(|terms| terms.failure_mode) {
                    Some(FailureMode::Open) => Outcome::BackendFailureOpen,
                    Some(FailureMode::Closed) | None => Outcome::BackendFailureClosed,
                };
                Verdict { failure: Some(failure.into()), ..verdict(outcome) }
            }
        }
    }
}

#[cfg(test)]
impl Engine {
    /// Lets the shared store, if there is one, take its time from the limiter's clock.
    pub(super) fn time_by_clock(&mut self) {
        if let Some(clustered) = &mut self.clustered {
            Arc::get_mut(&mut clustered.store).expect("nobody has asked it yet").time_by_caller();
        }
    }
}

impl fmt::Debug for Clustered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clustered").field("store", &self.store).finish_non_exhaustive()
    }
}
