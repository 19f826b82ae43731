//! Names of classes that could be taken for keys of the configuration.

use std::collections::{HashMap, HashSet};

use crate::keys;

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

/// The names of all classes, to find the ones that could be taken for keys of others.
#[derive(Debug)]
pub(crate) struct ClassNames<'a> {
    names: HashSet<&'a str>,
    /// By their part of the name of an environment variable, which has `_` for each dot.
    flat: HashMap<String, &'a str>,
}

impl<'a> ClassNames<'a> {
    pub(crate) fn of(names: impl Iterator<Item = &'a str> + Clone) -> Self {
        Self {
            names: names.clone().collect(),
            flat: names.map(|name| (flat(name), name)).collect(),
        }
    }

    /// The class for whose key the table of this one would be taken: `rl.read` for `rl.read.burst`.
    pub(crate) fn key_of(&self, class: &str) -> Option<&'a str> {
        let is_key = |rest: &str| {
            let first = rest.split('.').next().unwrap_or(rest);
            keys::CLASS.iter().any(|key| key.name.split('.').next() == Some(first))
        };
        let splits = class.match_indices('.').filter_map(|(dot, _)| class.split_at_checked(dot));
        let by_name = splits
            .filter(|(_, rest)| is_key(rest.trim_start_matches('.')))
            .find_map(|(other, _)| self.names.get(other).copied());
        // RATELIMIT_RL_READ_TIERS_GOLD_BURST is a tier of `rl.read`, or a class of its own.
        let flat = flat(class);
        by_name.or_else(|| {
            let mut tiers = flat.match_indices("_tiers_").filter_map(|(at, _)| flat.get(..at));
            tiers.find_map(|other| self.flat.get(other).copied())
        })
    }
}

fn flat(name: &str) -> String {
    name.replace('.', "_")
}
