//! [`ClassConfig`]: the settings of one class.

use std::cmp::Reverse;
use std::time::Duration;

use super::choices::{Anonymous, FailureMode, Mode, Saturation};
use super::keys;
use super::layers::Layers;
use super::read::{ROOT, check_name, conflict, limits_or, names, required};
use crate::catalogue::{ActionCatalogue, Catalogue};
use crate::limits::Limits;

/// The checked settings of one class.
#[derive(Clone, Debug)]
pub struct ClassConfig {
    pub(crate) enabled: bool,
    pub(crate) shadow: bool,
    pub(crate) limits: Limits,
    pub(crate) placement: Placement,
    pub(crate) revision: Option<String>,
    pub(crate) max_tracked_keys: Option<u64>,
    pub(crate) saturation: Saturation,
    pub(crate) anonymous: Anonymous,
    /// In the order of their names.
    pub(crate) tiers: Vec<(String, Limits)>,
}

/// Where the buckets of a class live, with what only matters there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Placement {
    /// In the backend that all nodes share.
    Clustered {
        /// What is decided when the backend fails.
        failure_mode: FailureMode,
        /// What a node takes of a bucket at once.
        lease: Option<Lease>,
    },
    /// In the memory of this process.
    Local,
}

/// What a node takes of a clustered bucket at once, to spend it by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// How many tokens; at most the capacity of the class.
    pub tokens: u64,
    /// How long it may hold them.
    pub ttl: Duration,
}

impl ClassConfig {
    /// Whether the class limits anything.
    #[must_use]
    pub fn enabled(&self) -> bool {
        self.enabled
    }

    /// Whether the class only counts what it would refuse.
    #[must_use]
    pub fn shadow(&self) -> bool {
        self.shadow
    }

    /// The limits of callers without a tier.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The limits of the callers of a tier.
    #[must_use]
    pub fn tier(&self, name: &str) -> Option<Limits> {
        self.tiers.iter().find(|(tier, _)| tier == name).map(|(_, limits)| *limits)
    }

    /// Where the buckets live.
    #[must_use]
    pub fn placement(&self) -> Placement {
        self.placement
    }

    /// The revision; buckets of another one are not met again.
    #[must_use]
    pub fn revision(&self) -> Option<&str> {
        self.revision.as_deref()
    }

    /// The size of the registry that the class has for itself, if it has one.
    #[must_use]
    pub fn max_tracked_keys(&self) -> Option<u64> {
        self.max_tracked_keys
    }

    /// What a new key gets when the class's own registry is full.
    #[must_use]
    pub fn saturation(&self) -> Saturation {
        self.saturation
    }

    /// What anonymous callers get.
    #[must_use]
    pub fn anonymous(&self) -> Anonymous {
        self.anonymous
    }
}

/// The settings of one class.
pub(super) fn read<C: Catalogue>(layers: &mut Layers, class: C) -> ClassConfig {
    let definition = class.definition();
    let table = format!("{ROOT}.{}", definition.name);
    let limits = limits_or(layers, &table, definition.limits);
    let lease = read_lease(layers, &table, limits);
    let tiers = names(layers, &format!("{table}.tiers."));
    ClassConfig {
        enabled: layers.get(&table, &keys::ENABLED).unwrap_or(true),
        shadow: layers.get(&table, &keys::SHADOW).unwrap_or(false),
        limits,
        placement: read_placement(layers, &table, lease),
        revision: layers.get(&table, &keys::REVISION),
        max_tracked_keys: layers.get(&table, &keys::MAX_TRACKED_KEYS),
        saturation: layers.get(&table, &keys::SATURATION).unwrap_or_default(),
        anonymous: layers.get(&table, &keys::ANONYMOUS).unwrap_or_default(),
        tiers: tiers
            .into_iter()
            .map(|name| {
                let table = format!("{table}.tiers.{name}");
                check_name(layers, &table, &name);
                let limits = limits_or(layers, &table, limits);
                (name, limits)
            })
            .collect(),
    }
}

/// Where the buckets of a class or policy live.
pub(super) fn read_placement(layers: &mut Layers, table: &str, lease: Option<Lease>) -> Placement {
    let default = layers.get(ROOT, &keys::DEFAULT_MODE).unwrap_or_default();
    match layers.get(table, &keys::MODE).unwrap_or(default) {
        Mode::Local => Placement::Local,
        Mode::Clustered => {
            let failure_mode =
                required(layers, table, &keys::FAILURE_MODE, "the mode is clustered");
            // Where it is missing nothing is built; the backend is asked for all the same.
            Placement::Clustered {
                failure_mode: failure_mode.unwrap_or(FailureMode::Closed),
                lease,
            }
        }
    }
}

fn read_lease(layers: &mut Layers, table: &str, limits: Limits) -> Option<Lease> {
    let table = format!("{table}.lease");
    let set = |key| layers.has(&format!("{table}.{key}"));
    if !set(keys::LEASE_TOKENS.name) && !set(keys::LEASE_TTL.name) {
        return None;
    }
    let reason = "a lease has tokens and ttl";
    let tokens = required(layers, &table, &keys::LEASE_TOKENS, reason);
    let ttl = required(layers, &table, &keys::LEASE_TTL, reason);
    let lease = Lease { tokens: tokens?, ttl: ttl? };
    if lease.tokens > limits.capacity() {
        let reason = format!("must be at most the burst of the class, {}", limits.capacity());
        conflict(layers, &table, &keys::LEASE_TOKENS, lease.tokens.to_string(), reason);
    }
    Some(lease)
}

/// Every action must fit into the bucket of its class, and of each of its tiers.
pub(super) fn check_costs<C: Catalogue>(layers: &mut Layers, classes: &[ClassConfig]) {
    for (class, settings) in C::ALL.iter().zip(classes) {
        let of_class = C::Action::ALL.iter().map(|action| action.definition());
        let dearest =
            of_class.filter(|action| action.class == *class).min_by_key(|a| Reverse(a.cost));
        let Some(action) = dearest else { continue };
        let tiers = settings.tiers.iter();
        let tiers = tiers.map(|(name, limits)| (format!("{ROOT}.{class}.tiers.{name}"), limits));
        for (table, limits) in
            [(format!("{ROOT}.{class}"), &settings.limits)].into_iter().chain(tiers)
        {
            if limits.capacity() < u64::from(action.cost) {
                let reason = format!("must be at least {}, the cost of {}", action.cost, action.id);
                conflict(layers, &table, &keys::BURST, limits.capacity().to_string(), reason);
            }
        }
    }
}
