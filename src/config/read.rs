//! Turns merged settings into a [`Config`], and checks what takes more than one key to see.

use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::time::Duration;

use super::environment::Warning;
use super::fault::{Fault, Problem};
use super::keys::{self, Key};
use super::kind::Kind;
use super::layers::Layers;
use super::{ClassConfig, Config, Placement, PolicyConfig, class, edge, policy, redis};
use crate::catalogue::Catalogue;
use crate::limits::Limits;

pub(super) const ROOT: &str = "ratelimit";
pub(super) const SERVER: &str = "server";

/// The settings; only worth something when `layers` has no faults then.
pub(super) fn read<C: Catalogue>(layers: &mut Layers, warnings: Vec<Warning>) -> Config<C> {
    let sweep_interval = layers.get(ROOT, &keys::SWEEP_INTERVAL);
    let ipv6_prefix = layers.get(ROOT, &keys::IPV6_PREFIX);
    let classes: Vec<_> = C::ALL.iter().map(|class| class::read(layers, *class)).collect();
    class::check_costs::<C>(layers, &classes);
    let policies = policy::read(layers);
    let clustered = first_clustered::<C>(&classes, &policies);
    Config {
        enabled: layers.get(ROOT, &keys::ENABLED).unwrap_or(true),
        max_tracked_keys: layers.get(ROOT, &keys::MAX_TRACKED_KEYS).unwrap_or(100_000),
        sweep_interval: sweep_interval.unwrap_or(Duration::from_secs(60)),
        ipv6_prefix: ipv6_prefix.and_then(|prefix| u8::try_from(prefix).ok()).unwrap_or(64),
        trusted_proxies: layers.get(SERVER, &keys::TRUSTED_PROXIES).unwrap_or_default(),
        client_ip_header: layers.get(SERVER, &keys::CLIENT_IP_HEADER).unwrap_or_default(),
        classes,
        default_tenant: optional_limits(layers, "ratelimit.defaults.tenant"),
        default_ip: optional_limits(layers, "ratelimit.defaults.ip"),
        edge: edge::read::<C>(layers),
        policies,
        redis: redis::read(layers, clustered.as_deref()),
        key_secret: match &clustered {
            Some(reason) => required(layers, ROOT, &keys::KEY_SECRET, reason),
            None => layers.get(ROOT, &keys::KEY_SECRET),
        },
        warnings,
        catalogue: PhantomData,
    }
}

/// The first thing that needs the backend, for the fault that says there is none.
fn first_clustered<C: Catalogue>(
    classes: &[ClassConfig],
    policies: &[PolicyConfig],
) -> Option<String> {
    let clustered = |placement| matches!(placement, Placement::Clustered { .. });
    let classes = C::ALL.iter().zip(classes).filter(|(_, class)| class.enabled);
    let classes = classes.filter(|(_, class)| clustered(class.placement));
    let policies = policies.iter().filter(|policy| policy.enabled && clustered(policy.placement));
    classes
        .map(|(class, _)| format!("{class} is clustered"))
        .chain(policies.map(|policy| format!("the policy {} is clustered", policy.name)))
        .next()
}

/// Limits whose unset half is that of `default`.
pub(super) fn limits_or(layers: &Layers, table: &str, default: Limits) -> Limits {
    let per_minute = layers.get(table, &keys::PER_MINUTE).unwrap_or(default.tokens());
    let burst = layers.get(table, &keys::BURST).unwrap_or(default.capacity());
    limits(per_minute, burst).unwrap_or(default)
}

fn optional_limits(layers: &mut Layers, table: &str) -> Option<Limits> {
    layers.under(&format!("{table}.")).next()?;
    required_limits(layers, table, "a budget has per_minute and burst")
}

pub(super) fn required_limits(layers: &mut Layers, table: &str, reason: &str) -> Option<Limits> {
    let per_minute = required(layers, table, &keys::PER_MINUTE, reason);
    let burst = required(layers, table, &keys::BURST, reason);
    limits(per_minute?, burst?)
}

/// Always some for numbers that their keys accept.
fn limits(per_minute: u64, burst: u64) -> Option<Limits> {
    Limits::per_minute(u32::try_from(per_minute).ok()?, u32::try_from(burst).ok()?).ok()
}

/// A value that must be there; a fault names `reason` when it is not.
pub(super) fn required<K: Kind>(
    layers: &mut Layers,
    table: &str,
    key: &Key<K>,
    reason: &str,
) -> Option<K::Checked> {
    let path = format!("{table}.{}", key.name);
    if !layers.has(&path) {
        let (reason, accepted) = (reason.to_owned(), key.kind.accepted());
        layers.faults.push(Fault::new(path, Problem::Missing { reason, accepted }));
        return None;
    }
    layers.get(table, key)
}

/// A value that is accepted by itself and not beside the others.
pub(super) fn conflict<K>(
    layers: &mut Layers,
    table: &str,
    key: &Key<K>,
    given: impl Into<Option<String>>,
    reason: String,
) {
    let path = format!("{table}.{}", key.name);
    let origin = layers.origin(&path).cloned();
    let fault = Fault::new(path, Problem::Conflict { reason });
    let fault = fault.given(given);
    layers.faults.push(match &origin {
        Some(origin) => fault.from(origin),
        None => fault,
    });
}

/// The name that the user gave a table.
pub(super) fn check_name(layers: &mut Layers, table: &str, name: &str) {
    if !keys::NAME.allows(name) {
        let accepted = format!("named with {}", keys::NAME.accepted());
        layers.faults.push(Fault::new(table, Problem::Invalid { accepted }));
    }
}

/// The names of the tables that stand under `prefix`, each once.
pub(super) fn names(layers: &Layers, prefix: &str) -> BTreeSet<String> {
    let tables = layers.under(prefix).filter_map(|rest| rest.rsplit_once('.'));
    tables.map(|(name, _)| name.to_owned()).collect()
}
