//! [`Budget`]: limits of a limiter that are no class of its catalogue.

use super::start::Settings;
use super::{Limiter, StartError};
use crate::catalogue::Catalogue;
use crate::decision::{AcquireError, Verdict};
use crate::key::ToKey;
use crate::limits::Limits;
use crate::store::local::PolicyId;

/// Limits of a limiter that are no class of its catalogue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(pub(super) PolicyId);

impl<C: Catalogue> Limiter<C> {
    /// Adds a budget.
    pub(crate) fn add_budget(
        &self,
        name: &str,
        limits: Limits,
        enabled: bool,
    ) -> Result<Budget, StartError> {
        let settings = Settings { enabled, ..Settings::of_budget(name, limits) };
        self.engine.add_policy(settings).map(Budget)
    }

    /// Takes one token of each, or, when one refuses, none of any.
    pub(crate) fn acquire_budgets<'k, K: ToKey + 'k>(
        &self,
        budgets: impl Iterator<Item = (Budget, &'k K)>,
    ) -> Result<Vec<Verdict>, AcquireError> {
        let claims = budgets.map(|(Budget(policy), key)| self.engine.claim(policy, key, 1));
        self.engine.acquire_all(&claims.collect::<Vec<_>>())
    }
}
