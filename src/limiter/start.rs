//! From a configuration to an engine, and to an engine that runs under another one.

use super::engine::Engine;
use super::names::{Named, Names};
use super::policy_of;
use crate::catalogue::Catalogue;
use crate::clock::{Clock, Time};
use crate::config::{ClassConfig, Config, Placement, PolicyConfig, Saturation};
use crate::limits::Limits;
use crate::store::local::{Label, Live, Policies, PolicyId, Setup, Table};
use crate::sync::Mutex;

/// A limiter that cannot start, or cannot go on under another configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address of the shared backend is of no use; the text does not show it, because it may hold a password.
    #[cfg(feature = "redis")]
    #[error("{0}")]
    Backend(String),
    /// There is no store that several nodes share.
    #[error(
        "the mode of {name} is clustered, but this limiter has no shared backend; set its mode to local, or build \
         with the feature `redis` and start with ratelimit.redis and ratelimit.key_secret"
    )]
    NoBackend {
        /// The class or policy.
        name: String,
    },
    /// The memory for the buckets is not to be had.
    #[error("{key} is {keys}, and the {bytes} bytes for them cannot be allocated; lower it")]
    OutOfMemory {
        /// The configuration key.
        key: String,
        /// The keys asked for.
        keys: u64,
        /// What they take: 16 bytes each, and 48 in a registry of a class, which has slots to spare.
        bytes: u128,
    },
    /// More classes, tiers, budgets and policies than there are numbers for.
    #[error("there are more than {} classes, tiers, budgets and policies", Policies::MOST)]
    TooManyPolicies,
}

/// What a configuration says of a class, a tier of one, a budget or a policy.
#[derive(Clone, Copy)]
pub(super) struct Settings<'a> {
    pub(super) name: &'a str,
    pub(super) tier: Option<&'a str>,
    pub(super) revision: Option<&'a str>,
    pub(super) limits: Limits,
    pub(super) enabled: bool,
    pub(super) shadow: bool,
    pub(super) saturation: Saturation,
    pub(super) registry: usize,
    pub(super) placement: Placement,
}

impl Engine {
    pub(super) fn start<C: Catalogue>(
        config: &Config<C>,
        clock: impl Clock + 'static,
    ) -> Result<Self, StartError> {
        let keys = config.max_tracked_keys;
        let shared = table("ratelimit", keys, keys)?;
        let mut own = Vec::new();
        let names = Names::new(C::ALL.len());
        let mut numbers = Vec::new();
        for (class, settings) in C::ALL.iter().zip(&config.classes) {
            numbers.push(settings.max_tracked_keys.map_or(0, |_| own.len() + 1));
            if let Some(keys) = settings.max_tracked_keys {
                let name = format!("ratelimit.{}", class.definition().name);
                own.push(table(&name, keys, Table::slots_for(keys))?);
            }
        }
        let engine = Self::new(shared, own.into(), names, config.sweep_interval, Time::new(clock));
        #[cfg(feature = "redis")]
        let engine = engine.with_clustered(config)?;
        engine.check_backend(config)?;
        // The classes come first: their numbers follow from their places in the catalogue.
        for ((class, settings), registry) in C::ALL.iter().zip(&config.classes).zip(&numbers) {
            engine.add_policy(of_class(config, class, settings, *registry))?;
        }
        for ((class, settings), registry) in C::ALL.iter().zip(&config.classes).zip(&numbers) {
            engine.add_tiers(
                of_class(config, class, settings, *registry),
                class.index(),
                settings,
            )?;
        }
        for policy in &config.policies {
            engine.add_named(config.enabled, policy)?;
        }
        Ok(engine)
    }

    /// Goes on under another configuration. Tiers and policies that are new are added; a tier that is gone has the limits of
    /// its class, a policy that is gone stays as it was.
    pub(super) fn reload<C: Catalogue>(&self, config: &Config<C>) -> Result<(), StartError> {
        self.check_backend(config)?;
        self.reloading(|| {
            // Seen before anything is changed.
            let is_new = |name: &str, index| self.names.tier(index, name).is_none();
            let tiers = config.classes.iter().enumerate().flat_map(|(index, settings)| {
                settings.tiers.iter().filter(move |(name, _)| is_new(name, index))
            });
            let policies =
                config.policies.iter().filter(|policy| self.names.policy(&policy.name).is_none());
            if tiers.count() + policies.count() > self.room() {
                return Err(StartError::TooManyPolicies);
            }
            self.change_all(config)
        })
    }

    fn change_all<C: Catalogue>(&self, config: &Config<C>) -> Result<(), StartError> {
        for (class, settings) in C::ALL.iter().zip(&config.classes) {
            let policy = policy_of(*class);
            let of_class = of_class(config, class, settings, self.registry_of(policy));
            self.change(policy, of_class);
            for (tier, policy) in self.names.tiers(class.index()) {
                let limits = settings.tier(tier).unwrap_or(settings.limits);
                self.change(policy, Settings { tier: Some(tier), limits, ..of_class });
            }
            self.add_tiers(of_class, class.index(), settings)?;
        }
        for policy in &config.policies {
            self.add_named(config.enabled, policy)?;
        }
        Ok(())
    }

    pub(super) fn add_policy(&self, settings: Settings<'_>) -> Result<PolicyId, StartError> {
        let added = self.add(settings.placement, |now| settings.setup(now));
        added.ok_or(StartError::TooManyPolicies)
    }

    pub(super) fn change(&self, policy: PolicyId, settings: Settings<'_>) {
        self.replace(policy, settings.revision, settings.placement, |live, now| {
            settings.switch(live.reloaded(settings.limits, now))
        });
    }

    /// Adds the tiers that a class has not yet.
    fn add_tiers(
        &self,
        of_class: Settings<'_>,
        index: usize,
        settings: &ClassConfig,
    ) -> Result<(), StartError> {
        for (tier, limits) in &settings.tiers {
            if self.names.tier(index, tier).is_none() {
                let settings = Settings { tier: Some(tier), limits: *limits, ..of_class };
                self.names.add_tier(index, tier, self.add_policy(settings)?);
            }
        }
        Ok(())
    }

    /// Adds a policy, or changes the one of its name.
    fn add_named(&self, enabled: bool, config: &PolicyConfig) -> Result<(), StartError> {
        let settings = Settings {
            name: &config.name,
            revision: config.revision.as_deref(),
            enabled: enabled && config.enabled,
            placement: config.placement,
            ..Settings::of_budget(&config.name, config.limits)
        };
        let policy = match self.names.policy(&config.name) {
            None => self.add_policy(settings)?,
            Some(Named { policy, .. }) => {
                self.change(policy, settings);
                policy
            }
        };
        let default_cost = config.default_cost;
        self.names.set_policy(&config.name, Named { policy, default_cost });
        Ok(())
    }

    fn check_backend<C: Catalogue>(&self, config: &Config<C>) -> Result<(), StartError> {
        if self.has_backend() {
            return Ok(());
        }
        let classes = C::ALL.iter().zip(&config.classes);
        let classes = classes.map(|(class, settings)| {
            (class.definition().name, settings.enabled, settings.placement)
        });
        let policies = config.policies.iter().map(|p| (p.name.as_str(), p.enabled, p.placement));
        for (name, enabled, placement) in classes.chain(policies) {
            if enabled && matches!(placement, Placement::Clustered { .. }) {
                return Err(StartError::NoBackend { name: name.to_owned() });
            }
        }
        Ok(())
    }

    #[cfg_attr(
        not(feature = "redis"),
        expect(clippy::unused_self, reason = "there is one place without the backend")
    )]
    fn has_backend(&self) -> bool {
        #[cfg(feature = "redis")]
        return self.clustered.is_some();
        #[cfg(not(feature = "redis"))]
        return false;
    }
}

impl<'a> Settings<'a> {
    /// Those of limits that are no class.
    pub(super) fn of_budget(name: &'a str, limits: Limits) -> Self {
        Self {
            name,
            tier: None,
            revision: None,
            limits,
            enabled: true,
            shadow: false,
            saturation: Saturation::default(),
            registry: 0,
            placement: Placement::Local,
        }
    }

    fn setup(&self, now: u64) -> Setup {
        Setup {
            live: self.switch(Live::new(self.limits, now)),
            registry: self.registry,
            label: Label {
                name: self.name.into(),
                tier: self.tier.map(Into::into),
                revision: Mutex::new(self.revision.map(Into::into)),
            },
        }
    }

    fn switch(&self, mut live: Live) -> Live {
        live.enabled = self.enabled;
        live.shadow = self.shadow;
        live.saturation = self.saturation;
        live
    }
}

fn of_class<'a, C: Catalogue>(
    config: &Config<C>,
    class: &C,
    settings: &'a ClassConfig,
    registry: usize,
) -> Settings<'a> {
    Settings {
        name: class.definition().name,
        tier: None,
        revision: settings.revision.as_deref(),
        limits: settings.limits,
        enabled: config.enabled && settings.enabled,
        shadow: settings.shadow,
        saturation: if registry == 0 { Saturation::default() } else { settings.saturation },
        registry,
        placement: settings.placement,
    }
}

/// The registry of `name`, a table of the configuration, for so many keys.
fn table(name: &str, keys: u64, slots: u64) -> Result<Table, StartError> {
    let table = usize::try_from(slots).ok().and_then(|slots| Table::new(slots).ok());
    table.ok_or_else(|| StartError::OutOfMemory {
        key: format!("{name}.max_tracked_keys"),
        keys,
        bytes: u128::from(slots) * 16,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_that_no_memory_holds_is_told_by_its_key_and_its_bytes() {
        // Three slots of 16 bytes for each of 2^60 keys.
        let keys = 1 << 60;
        let error = table("ratelimit.rl.read", keys, Table::slots_for(keys)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "ratelimit.rl.read.max_tracked_keys is 1152921504606846976, and the 55340232221128654848 bytes for \
             them cannot be allocated; lower it"
        );
    }
}
