//! [`Budget`]: limits of a limiter that are no class of its catalogue.

use super::start::Settings;
use super::{Limiter, StartError};
use crate::catalogue::Catalogue;
use crate::config::Config;
use crate::decision::{AcquireError, Verdict};
use crate::key::ToKey;
use crate::limits::Limits;
use crate::store::local::PolicyId;
use crate::sync::{AtomicBool, Mutex, Ordering};

/// Limits of a limiter that are no class of its catalogue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(pub(super) PolicyId);

/// Where the limits of a budget are said.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// `ratelimit.defaults.ip`.
    ClientIp,
    /// The edge rule of this name.
    Edge(String),
    /// The declaration of a handler.
    Route,
    /// `ratelimit.defaults.tenant`.
    Tenant,
}

/// The budgets of a limiter, so that another configuration can change them.
#[derive(Debug)]
pub(super) struct Budgets {
    enabled: AtomicBool,
    added: Mutex<Vec<Added>>,
}

#[derive(Debug)]
struct Added {
    name: String,
    source: Source,
    policy: PolicyId,
}

impl Budgets {
    pub(super) fn new(enabled: bool) -> Self {
        Self { enabled: AtomicBool::new(enabled), added: Mutex::default() }
    }
}

impl<C: Catalogue> Limiter<C> {
    /// Adds a budget.
    pub(crate) fn add_budget(
        &self,
        name: &str,
        limits: Limits,
        source: Source,
    ) -> Result<Budget, StartError> {
        // Held until the budget is there, or a reload between would miss it.
        let mut added = self.budgets.added.lock();
        let settings =
            Settings { enabled: self.has_budgets_enabled(), ..Settings::of_budget(name, limits) };
        let policy = self.engine.add_policy(settings)?;
        added.push(Added { name: name.to_owned(), source, policy });
        Ok(Budget(policy))
    }

    /// Whether budgets limit anything.
    pub(crate) fn has_budgets_enabled(&self) -> bool {
        self.budgets.enabled.load(Ordering::Relaxed)
    }

    /// Goes on under another configuration. A budget that it says nothing of keeps its limits.
    pub(super) fn reload_budgets(&self, config: &Config<C>) -> Result<(), StartError> {
        let added = self.budgets.added.lock();
        self.budgets.enabled.store(config.enabled, Ordering::Relaxed);
        self.engine.reloading(|| {
            for Added { name, source, policy } in &*added {
                let said = match source {
                    Source::ClientIp => config.default_ip,
                    Source::Edge(name) => {
                        let rule = config.edge.iter().find(|rule| rule.name == *name);
                        rule.map(|rule| rule.limits)
                    }
                    Source::Route => None,
                    Source::Tenant => config.default_tenant,
                };
                let limits = said.unwrap_or_else(|| self.engine.live(*policy).meter.limits);
                let settings = Settings::of_budget(name, limits);
                self.engine.change(*policy, Settings { enabled: config.enabled, ..settings });
            }
            Ok(())
        })
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
