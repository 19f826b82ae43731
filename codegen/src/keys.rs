//! The configuration keys, as far as the names of classes could be taken for one.

/// The keys of a class, in the order of the reference. A part in angle brackets is a name that the
/// user chooses.
pub(crate) const CLASS_KEYS: [&str; 14] = [
    "per_minute",
    "burst",
    "enabled",
    "shadow",
    "mode",
    "failure_mode",
    "revision",
    "lease.tokens",
    "lease.ttl",
    "max_tracked_keys",
    "saturation",
    "anonymous",
    "tiers.<name>.per_minute",
    "tiers.<name>.burst",
];

/// The keys and tables of the limiter, among which the tables of the classes stand.
const LIMITER_KEYS: [&str; 10] = [
    "enabled",
    "max_tracked_keys",
    "sweep_interval",
    "default_mode",
    "ipv6_prefix",
    "defaults",
    "edge",
    "policies",
    "redis",
    "key_secret",
];

/// Tables with names that the user chooses, whose environment variables a class could be taken for.
const OPEN_TABLES: [&str; 3] = ["defaults_ip", "defaults_tenant", "policies"];

/// The key of the limiter that the table of this class would be taken for.
pub(crate) fn limiter_key(class: &str) -> Option<&'static str> {
    let first = class.split('.').next().unwrap_or(class);
    let flat = flat(class);
    LIMITER_KEYS.into_iter().find(|key| *key == first).or_else(|| {
        OPEN_TABLES.into_iter().find(|table| {
            flat.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        })
    })
}

/// Whether the table of this class would be taken for a key of the other one: `rl.read.burst` for
/// the burst of `rl.read`.
pub(crate) fn is_key_of(class: &str, other: &str) -> bool {
    let is_key =
        class.strip_prefix(other).and_then(|rest| rest.strip_prefix('.')).is_some_and(|rest| {
            let first = rest.split('.').next().unwrap_or(rest);
            CLASS_KEYS.iter().any(|key| key.split('.').next() == Some(first))
        });
    // Environment variables separate words by `_` alone: `RATELIMIT_RL_READ_TIERS_GOLD_BURST`.
    is_key || flat(class).strip_prefix(&flat(other)).is_some_and(|rest| rest.starts_with("_tiers_"))
}

fn flat(name: &str) -> String {
    name.replace('.', "_")
}
