//! [`Budget`]: limits of a limiter that are no class of its catalogue.

use super::{Limiter, StartError};
use crate::catalogue::Catalogue;
use crate::decision::{AcquireError, Verdict};
use crate::key::ToKey;
use crate::limits::Limits;
use crate::store::local::{Live, PolicyId};

/// Limits of a limiter that are no class of its catalogue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(pub(super) PolicyId);

impl<C: Catalogue> Limiter<C> {
    /// Adds a budget.
    pub(crate) fn add_budget(&self, limits: Limits, enabled: bool) -> Result<Budget, StartError> {
        let live = |now| {
            let mut live = Live::new(limits, now);
            live.enabled = enabled;
            live
        };
        self.engine.add(live).map(Budget).ok_or(StartError::TooManyPolicies)
    }

    /// Takes one token of each, or, when one refuses, none of any.
    pub(crate) fn acquire_budgets<'k, K: ToKey + 'k>(
        &self,
        budgets: impl Iterator<Item = (Budget, &'k K)>,
    ) -> Result<Vec<Verdict>, AcquireError> {
        let hashed: Vec<_> =
            budgets.map(|(Budget(policy), key)| (policy, self.engine.hash(policy, key))).collect();
        let peeked = hashed.iter().map(|(policy, hash)| self.engine.peek(*policy, *hash, 1));
        let peeked: Vec<Verdict> = peeked.collect::<Result<_, _>>()?;
        if peeked.iter().any(|verdict| !verdict.permitted()) {
            return Ok(peeked);
        }
        hashed.into_iter().map(|(policy, hash)| self.engine.acquire(policy, hash, 1)).collect()
    }
}
