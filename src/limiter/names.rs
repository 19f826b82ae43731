//! [`Names`]: the policies of a limiter that are asked for by name.

use std::collections::HashMap;

use crate::list::List;
use crate::store::local::PolicyId;
use crate::sync::Mutex;

/// Tiers of classes, and policies that are no class.
pub(crate) struct Names {
    /// By the class's index. A class has a few.
    tiers: Box<[List<Tier>]>,
    policies: Mutex<HashMap<Box<str>, Named>>,
}

struct Tier {
    name: Box<str>,
    policy: PolicyId,
}

/// A policy that is no class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    pub(crate) policy: PolicyId,
    pub(crate) default_cost: u64,
}

impl Names {
    pub(crate) fn new(classes: usize) -> Self {
        Self { tiers: (0..classes).map(|_| List::new()).collect(), policies: Mutex::default() }
    }

    /// The tiers of a class.
    pub(crate) fn tiers(&self, class: usize) -> impl Iterator<Item = (&str, PolicyId)> {
        let tiers = self.tiers.get(class).into_iter().flat_map(List::iter);
        tiers.map(|tier| (&*tier.name, tier.policy))
    }

    pub(crate) fn tier(&self, class: usize, name: &str) -> Option<PolicyId> {
        self.tiers(class).find(|(tier, _)| *tier == name).map(|(_, policy)| policy)
    }

    pub(crate) fn add_tier(&self, class: usize, name: &str, policy: PolicyId) {
        if let Some(tiers) = self.tiers.get(class) {
            tiers.push(Tier { name: name.into(), policy });
        }
    }

    pub(crate) fn policy(&self, name: &str) -> Option<Named> {
        self.policies.lock().get(name).copied()
    }

    pub(crate) fn set_policy(&self, name: &str, named: Named) {
        self.policies.lock().insert(name.into(), named);
    }

    /// The known policy that looks most like `name`.
    pub(crate) fn nearest(&self, name: &str) -> Option<String> {
        let policies = self.policies.lock();
        crate::nearest::nearest(name, policies.keys().map(|known| &**known)).map(str::to_owned)
    }
}
