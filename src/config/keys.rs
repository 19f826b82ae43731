//! Every key of the configuration, with its kind and range, in one list.
//!
//! The list drives the reading, the faults and their suggestions; a test holds it equal to
//! `docs/configuration.md`.

use std::time::Duration;

use super::choices::{
    Anonymous, ClientIpHeader, EdgeKey, FailureMode, MissingHeader, Mode, Saturation,
};
use super::kind::{Choice, Choices, Flag, Hidden, Integer, Kind, Name, Networks, Rejected, Span};
use super::redis;
use super::value::Value;
use crate::limits::{Limits, Refill};

/// One key of a section.
pub(crate) struct Key<K> {
    pub(crate) name: &'static str,
    pub(crate) kind: K,
}

/// A key of any kind.
pub(crate) trait AnyKey: Sync {
    fn name(&self) -> &'static str;
    fn accepted(&self) -> String;
    fn accepted_element(&self) -> String;
    fn check(&self, value: &Value) -> Result<(), Rejected>;
    fn parse(&self, text: &str) -> Value;
    fn is_secret(&self) -> bool;
}

impl<K: Kind + Sync> AnyKey for Key<K> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn accepted(&self) -> String {
        self.kind.accepted()
    }

    fn accepted_element(&self) -> String {
        self.kind.accepted_element()
    }

    fn check(&self, value: &Value) -> Result<(), Rejected> {
        self.kind.check(value).map(drop)
    }

    fn parse(&self, text: &str) -> Value {
        self.kind.parse(text)
    }

    fn is_secret(&self) -> bool {
        self.kind.is_secret()
    }
}

/// Keys that stand together under one table.
pub(crate) struct Section {
    /// The path of the table: `<class>` stands for each class of the catalogue, `<name>` for any
    /// name, `[]` for each element of a list.
    pub(crate) path: &'static str,
    pub(crate) keys: &'static [&'static dyn AnyKey],
}

/// All there is.
pub(crate) const SECTIONS: &[Section] = &[
    Section {
        path: "ratelimit",
        keys: &[
            &ENABLED,
            &MAX_TRACKED_KEYS,
            &SWEEP_INTERVAL,
            &DEFAULT_MODE,
            &IPV6_PREFIX,
            &KEY_SECRET,
        ],
    },
    Section {
        path: "ratelimit.<class>",
        keys: &[
            &PER_MINUTE,
            &BURST,
            &ENABLED,
            &SHADOW,
            &MODE,
            &FAILURE_MODE,
            &REVISION,
            &MAX_TRACKED_KEYS,
            &SATURATION,
            &ANONYMOUS,
        ],
    },
    Section { path: "ratelimit.<class>.lease", keys: &[&LEASE_TOKENS, &LEASE_TTL] },
    Section { path: "ratelimit.<class>.tiers.<name>", keys: &[&PER_MINUTE, &BURST] },
    Section { path: "ratelimit.defaults.tenant", keys: &[&PER_MINUTE, &BURST] },
    Section { path: "ratelimit.defaults.ip", keys: &[&PER_MINUTE, &BURST] },
    Section {
        path: "ratelimit.edge[]",
        keys: &[&EDGE_NAME, &EDGE_KEYS, &EDGE_HEADER, &EDGE_MISSING, &PER_MINUTE, &BURST],
    },
    Section {
        path: "ratelimit.policies.<name>",
        keys: &[
            &ENABLED,
            &MODE,
            &FAILURE_MODE,
            &REVISION,
            &DEFAULT_COST,
            &TOKENS,
            &PERIOD,
            &CAPACITY,
            &REFILL,
        ],
    },
    Section {
        path: "ratelimit.redis",
        keys: &[&REDIS_URL, &REDIS_NAMESPACE, &OPERATION_TIMEOUT, &EXPIRATION_SLACK],
    },
    Section { path: "server", keys: &[&TRUSTED_PROXIES, &CLIENT_IP_HEADER] },
];

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(86_400);
const YEAR: Duration = Duration::from_secs(365 * 86_400);
const MILLISECOND: Duration = Duration::from_millis(1);

/// Names of policies, tiers and edge rules.
pub(crate) const NAME: Name = Name { marks: "._~-", longest: 128 };

pub(crate) const ENABLED: Key<Flag> = Key { name: "enabled", kind: Flag };
pub(crate) const MAX_TRACKED_KEYS: Key<Integer> =
    Key { name: "max_tracked_keys", kind: Integer { least: 1, most: 1 << 32 } };
pub(crate) const SWEEP_INTERVAL: Key<Span> =
    Key { name: "sweep_interval", kind: Span { least: SECOND, most: DAY } };
pub(crate) const DEFAULT_MODE: Key<Choice<Mode>> =
    Key { name: "default_mode", kind: Choice(Mode::WORDS) };
pub(crate) const IPV6_PREFIX: Key<Integer> =
    Key { name: "ipv6_prefix", kind: Integer { least: 8, most: 128 } };
pub(crate) const KEY_SECRET: Key<Hidden> = Key {
    name: "key_secret",
    kind: Hidden { accepted: "a text of 32 bytes or more", allows: |text| text.len() >= 32 },
};

const COUNT: Integer = Integer { least: 1, most: u32::MAX as u64 };
/// Ten million tokens a second are the most that a bucket can count.
pub(crate) const PER_MINUTE: Key<Integer> =
    Key { name: "per_minute", kind: Integer { least: 1, most: 600_000_000 } };
pub(crate) const BURST: Key<Integer> = Key { name: "burst", kind: COUNT };
pub(crate) const SHADOW: Key<Flag> = Key { name: "shadow", kind: Flag };
pub(crate) const MODE: Key<Choice<Mode>> = Key { name: "mode", kind: Choice(Mode::WORDS) };
pub(crate) const FAILURE_MODE: Key<Choice<FailureMode>> =
    Key { name: "failure_mode", kind: Choice(FailureMode::WORDS) };
pub(crate) const REVISION: Key<Name> =
    Key { name: "revision", kind: Name { marks: "._-", longest: 32 } };
pub(crate) const SATURATION: Key<Choice<Saturation>> =
    Key { name: "saturation", kind: Choice(Saturation::WORDS) };
pub(crate) const ANONYMOUS: Key<Choice<Anonymous>> =
    Key { name: "anonymous", kind: Choice(Anonymous::WORDS) };

pub(crate) const LEASE_TOKENS: Key<Integer> = Key { name: "tokens", kind: COUNT };
pub(crate) const LEASE_TTL: Key<Span> =
    Key { name: "ttl", kind: Span { least: MILLISECOND, most: MINUTE } };

pub(crate) const EDGE_NAME: Key<Name> = Key { name: "name", kind: NAME };
pub(crate) const EDGE_KEYS: Key<Choices<EdgeKey>> =
    Key { name: "keys", kind: Choices(EdgeKey::WORDS) };
pub(crate) const EDGE_HEADER: Key<Name> =
    Key { name: "header", kind: Name { marks: "!#$%&'*+-.^_`|~", longest: 128 } };
pub(crate) const EDGE_MISSING: Key<Choice<MissingHeader>> =
    Key { name: "missing", kind: Choice(MissingHeader::WORDS) };

const AMOUNT: Integer = Integer { least: 1, most: Limits::MAX_TOKENS };
pub(crate) const DEFAULT_COST: Key<Integer> = Key { name: "default_cost", kind: AMOUNT };
pub(crate) const TOKENS: Key<Integer> = Key { name: "tokens", kind: AMOUNT };
pub(crate) const CAPACITY: Key<Integer> = Key { name: "capacity", kind: AMOUNT };
pub(crate) const PERIOD: Key<Span> =
    Key { name: "period", kind: Span { least: MILLISECOND, most: YEAR } };
pub(crate) const REFILL: Key<Choice<Refill>> = Key { name: "refill", kind: Choice(REFILLS) };
pub(super) const REFILLS: &[(&str, Refill)] =
    &[("greedy", Refill::Greedy), ("interval", Refill::Interval)];

pub(crate) const REDIS_URL: Key<Hidden> = Key {
    name: "url",
    kind: Hidden {
        accepted: "a URL that starts with redis://, redis+cluster:// or redis+sentinel://, and each as rediss",
        allows: redis::is_url,
    },
};
pub(crate) const REDIS_NAMESPACE: Key<Name> = Key { name: "namespace", kind: NAME };
pub(crate) const OPERATION_TIMEOUT: Key<Span> =
    Key { name: "operation_timeout", kind: Span { least: MILLISECOND, most: MINUTE } };
pub(crate) const EXPIRATION_SLACK: Key<Span> =
    Key { name: "expiration_slack", kind: Span { least: MILLISECOND, most: DAY } };

pub(crate) const TRUSTED_PROXIES: Key<Networks> = Key { name: "trusted_proxies", kind: Networks };
pub(crate) const CLIENT_IP_HEADER: Key<Choice<ClientIpHeader>> =
    Key { name: "client_ip_header", kind: Choice(ClientIpHeader::WORDS) };

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const REFERENCE: &str = include_str!("../../docs/configuration.md");

    /// The range of every key that the reference describes, without the defaults of single classes.
    fn described() -> BTreeMap<&'static str, String> {
        let rows = REFERENCE.lines().filter(|line| line.starts_with("| `"));
        let described = rows.map(|row| {
            let cells: Vec<&str> = row.split(" | ").collect();
            let [key, _, _, range, _] = cells.as_slice() else { panic!("five cells: {row}") };
            (key.trim_start_matches("| ").trim_matches('`'), range.replace("\\|", "|"))
        });
        described.filter(|(key, _)| !key.starts_with("ratelimit.rl.")).collect()
    }

    /// The generator of the reference has a list of its own, since it does not know the library.
    #[test]
    fn the_reference_describes_these_keys_and_their_ranges() {
        let mut described = described();
        for section in SECTIONS {
            for key in section.keys {
                let path = format!("{}.{}", section.path, key.name());
                let range = described.remove(path.as_str());
                let range = range.unwrap_or_else(|| panic!("{path} is not in the reference"));
                let accepted = key.accepted();
                assert!(accepted.contains(&range), "{path}: {accepted}, not {range}");
            }
        }
        assert_eq!(described, BTreeMap::new(), "the reference describes keys that there are not");
    }

    /// What a class says of its own keys is what is read for it.
    #[test]
    fn a_class_lists_the_keys_that_are_read_for_it() {
        const TABLE: &str = "ratelimit.<class>";
        let mut read: Vec<String> = SECTIONS
            .iter()
            .filter_map(|section| Some((section.path.strip_prefix(TABLE)?, section.keys)))
            .flat_map(|(rest, keys)| keys.iter().map(move |key| format!("{rest}.{}", key.name())))
            .map(|key| format!("ratelimit.rl.read{key}"))
            .collect();
        let mut listed = crate::Class::Read.configuration_keys().to_vec();
        read.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, read);
    }
}
