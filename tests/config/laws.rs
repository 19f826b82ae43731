//! Laws over all input.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tollgate::config::{Faults, Settings};
use tollgate::{Class, Config};

/// Stands for what must never be shown.
const SECRET: &str = "hunter2";

fn settings(tree: Value) -> Settings {
    serde_json::from_value(tree).expect("shallow JSON is always settings")
}

fn build(tree: Value) -> Result<Config<Class>, Faults> {
    Config::builder().file(settings(tree)).build()
}

/// A configuration or its faults, as a text that two equal ones share.
fn outcome(result: Result<Config<Class>, Faults>) -> String {
    match result {
        Ok(config) => format!("{config:?}"),
        Err(faults) => faults.to_string(),
    }
}

/// Parts of paths, known and unknown.
fn segment() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "ratelimit",
        "server",
        "rl.read",
        "rl",
        "read",
        "enabled",
        "per_minute",
        "burst",
        "tiers",
        "gold",
        "policies",
        "search-quota",
        "edge",
        "edge[0]",
        "redis",
        "url",
        "key_secret",
        "defaults",
        "ip",
        "lease",
        "tokens",
        "mode",
        "failure_mode",
        "trusted_proxies",
        "keys",
        "name",
        "capacity",
        "period",
    ]);
    prop_oneof![8 => known.prop_map(str::to_owned), 1 => "[a-z.\\[\\]0-9]{0,12}", 1 => any::<String>()]
}

fn leaf() -> impl Strategy<Value = Value> {
    let text = prop::sample::select(vec![
        "",
        "local",
        "clustered",
        "open",
        "60s",
        "1d",
        "10.0.0.0/8",
        "::1",
        "global",
        "header",
        "a",
    ]);
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0_i64..200).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ]
}

fn tree() -> impl Strategy<Value = Value> {
    let inner = leaf().prop_recursive(6, 64, 6, |inner| {
        let table = prop::collection::btree_map(segment(), inner.clone(), 0..6);
        prop_oneof![
            3 => table.prop_map(|table| Value::Object(table.into_iter().collect())),
            1 => prop::collection::vec(inner, 0..4).prop_map(Value::Array),
        ]
    });
    let root = prop::collection::btree_map(segment(), inner.clone(), 0..6);
    prop_oneof![
        4 => inner.clone().prop_map(|inner| json!({ "ratelimit": inner })),
        2 => root.prop_map(|root| Value::Object(root.into_iter().collect())),
        1 => inner,
    ]
}

/// A key of the reference catalogue with a value that may or may not do.
fn setting() -> impl Strategy<Value = (String, Value)> {
    let keys: Vec<String> = fixed_keys().chain(named_keys()).collect();
    (prop::sample::select(keys), leaf())
}

/// Every key with a fixed path.
fn fixed_keys() -> impl Iterator<Item = String> {
    let classes = Class::ALL.iter().flat_map(|class| class.definition().configuration_keys);
    let classes = classes.filter(|key| !key.contains('<')).map(|key| (*key).to_owned());
    let limiter = [
        "ratelimit.enabled",
        "ratelimit.max_tracked_keys",
        "ratelimit.sweep_interval",
        "ratelimit.default_mode",
        "ratelimit.ipv6_prefix",
        "ratelimit.key_secret",
        "ratelimit.defaults.tenant.per_minute",
        "ratelimit.defaults.tenant.burst",
        "ratelimit.defaults.ip.per_minute",
        "ratelimit.defaults.ip.burst",
        "ratelimit.redis.url",
        "ratelimit.redis.namespace",
        "ratelimit.redis.operation_timeout",
        "ratelimit.redis.expiration_slack",
        "server.trusted_proxies",
        "server.client_ip_header",
    ];
    classes.chain(limiter.into_iter().map(str::to_owned))
}

/// Keys whose path has a name or a position in it.
fn named_keys() -> impl Iterator<Item = String> {
    let policy = ["enabled", "mode", "failure_mode", "revision", "default_cost", "tokens"];
    let policy = policy.into_iter().chain(["period", "capacity", "refill"]);
    let policy = policy.map(|key| format!("ratelimit.policies.search-quota.{key}"));
    let edge = ["name", "keys", "header", "missing", "per_minute", "burst"];
    let edge = edge.into_iter().map(|key| format!("ratelimit.edge[0].{key}"));
    let tier = ["per_minute", "burst"].into_iter();
    policy.chain(edge).chain(tier.map(|key| format!("ratelimit.rl.read.tiers.gold.{key}")))
}

/// The tables that nest `path` at the dots whose bit is set; a position is a list.
fn insert(table: &mut Map<String, Value>, path: &str, cuts: u32, value: Value) {
    let dot = path.match_indices('.').find(|(at, _)| cuts >> (at % 32) & 1 == 1);
    let Some((at, _)) = dot else {
        table.insert(path.to_owned(), value);
        return;
    };
    let (head, rest) = (&path[..at], &path[at + 1..]);
    let inner = table.entry(head.to_owned()).or_insert_with(|| json!({}));
    match inner {
        Value::Object(inner) => insert(inner, rest, cuts, value),
        _ => unreachable!("no key is the table of another one"),
    }
}

proptest! {
    #[test]
    fn any_tree_is_a_configuration_or_faults_of_one_line_each(tree in tree()) {
        if let Err(faults) = build(tree) {
            prop_assert!(faults.iter().count() > 0);
            for fault in &faults {
                let text = fault.to_string();
                prop_assert!(!text.chars().any(char::is_control), "{text:?}");
                prop_assert!(text.len() < 4000, "{text:?}");
            }
        }
    }

    #[test]
    fn flat_and_nested_keys_mean_the_same(
        settings in prop::collection::btree_map(setting().prop_map(|(key, _)| key), (leaf(), any::<u32>()), 0..8)
    ) {
        let flat: Map<_, _> =
            settings.iter().map(|(key, (value, _))| (key.clone(), value.clone())).collect();
        let mut nested = Map::new();
        for (key, (value, cuts)) in settings {
            insert(&mut nested, &key, cuts, value);
        }
        prop_assert_eq!(outcome(build(Value::Object(flat))), outcome(build(Value::Object(nested))));
    }

    #[test]
    fn no_fault_shows_a_secret(
        others in prop::collection::btree_map(setting().prop_map(|(key, _)| key), leaf(), 0..6),
        secret in prop::sample::select(vec!["ratelimit.key_secret", "ratelimit.redis.url"]),
        wrapped in 0..5,
        (before, after) in (".{0,40}", ".{0,40}"),
    ) {
        let text = format!("{before}{SECRET}{after}");
        let value = match wrapped {
            0 => json!([text]),
            1 => json!({ "value": text }),
            2 => json!([{ "value": text }]),
            _ => json!(text),
        };
        let mut tree: Map<_, _> = others.into_iter().collect();
        tree.insert(secret.to_owned(), value);
        let settings = settings(Value::Object(tree));
        let shown = format!("{settings:?}");
        prop_assert!(!shown.contains(SECRET), "{shown}");
        let built = Config::<Class>::builder().file(settings).build();
        let shown = format!("{built:?} {}", outcome(built.clone()));
        prop_assert!(!shown.contains(SECRET), "{shown}");
    }
}

proptest! {
    // Each case looks all variables up among all keys.
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn any_environment_is_a_configuration_or_faults(
        variables in prop::collection::vec(("(RATELIMIT|SERVER)_[A-Z0-9_]{0,30}", any::<String>()), 0..20)
    ) {
        let _outcome = outcome(Config::builder().environment(variables).build());
    }
}

/// A text that a variable may hold for a key, the JSON that means the same.
fn sample(key: &str) -> (&'static str, Value) {
    match key.rsplit_once('.').expect("every key is in a table").1 {
        "enabled" => ("false", json!(false)),
        "shadow" => ("true", json!(true)),
        "sweep_interval" | "operation_timeout" | "expiration_slack" | "ttl" | "period" => {
            ("7s", json!("7s"))
        }
        "default_mode" | "mode" => ("local", json!("local")),
        "failure_mode" => ("open", json!("open")),
        "saturation" => ("closed", json!("closed")),
        "anonymous" => ("deny", json!("deny")),
        "refill" => ("interval", json!("interval")),
        "missing" => ("bypass", json!("bypass")),
        "keys" => ("client_ip,header", json!(["client_ip", "header"])),
        "trusted_proxies" => ("10.0.0.0/8,::1", json!(["10.0.0.0/8", "::1"])),
        "client_ip_header" => ("forwarded", json!("forwarded")),
        "url" => ("rediss://host", json!("rediss://host")),
        "key_secret" => {
            ("0123456789abcdef0123456789abcdef", json!("0123456789abcdef0123456789abcdef"))
        }
        "revision" | "name" | "namespace" | "header" => ("x1", json!("x1")),
        "tokens" | "default_cost" => ("2", json!(2)),
        _ => ("77", json!(77)),
    }
}

/// A file in which everything that has a name exists, so that variables can speak of it.
fn named() -> Value {
    json!({ "ratelimit": {
        "policies": { "search-quota": { "tokens": 5, "period": "1s", "capacity": 5 } },
        "edge": [{ "name": "e", "keys": ["header"], "header": "x", "per_minute": 5, "burst": 5 }],
        "rl.read.tiers.gold": { "per_minute": 5, "burst": 5 },
        "redis": { "url": "redis://host", "namespace": "n", "operation_timeout": "1s" },
        "defaults": { "ip": { "per_minute": 5, "burst": 5 }, "tenant": { "per_minute": 5, "burst": 5 } },
    }})
}

#[test]
fn every_known_key_is_set_by_its_variable() {
    for key in fixed_keys().chain(named_keys()) {
        let variable = key.replace("[0]", ".0").replace(['.', '-'], "_").to_ascii_uppercase();
        let (text, value) = sample(&key);
        // A lease has two halves; the other one stands in the file.
        let mut base = json!({});
        if let Some((class, half)) = key.split_once(".lease.") {
            let (other, value) =
                if half == "ttl" { ("tokens", json!(1)) } else { ("ttl", json!("1s")) };
            base = json!({ format!("{class}.lease.{other}"): value, format!("{class}.burst"): 77 });
        }
        let base =
            || Config::<Class>::builder().file(settings(named())).file(settings(base.clone()));
        let without = base().build().map(|config| format!("{config:?}"));
        let by_variable = base().environment([(variable.as_str(), text)]).build();
        let by_variable = by_variable.unwrap_or_else(|faults| panic!("{variable}: {faults}"));
        let file = settings(json!({ key.clone(): value }));
        // A file replaces edge rules and policies as a whole; the environment does not.
        if !key.contains("edge") && !key.contains("policies") {
            let by_file = base().file(file).build().unwrap();
            assert_eq!(format!("{by_variable:?}"), format!("{by_file:?}"), "{key}");
        }
        // Local buckets have no use for these, and secrets are not shown.
        let same = ["failure_mode", "lease.tokens", "lease.ttl", "mode", "key_secret", "redis.url"];
        if !same.iter().any(|end| key.ends_with(end)) {
            assert_ne!(without, Ok(format!("{by_variable:?}")), "{variable} changes nothing");
        }
        assert!(by_variable.warnings().is_empty(), "{variable} is unknown");
    }
}

#[test]
fn a_flood_of_wrong_keys_and_variables_is_reported_in_full() {
    let keys: Map<_, _> =
        (0..2_000).map(|at| (format!("ratelimit.rl.x{at}.burst"), json!(1))).collect();
    assert_eq!(build(Value::Object(keys)).unwrap_err().iter().count(), 2_000);
    let variables = (0..2_000).map(|at| (format!("RATELIMIT_RL_X{at}_BURST"), "1"));
    let config: Config = Config::builder().environment(variables).build().unwrap();
    assert_eq!(config.warnings().len(), 2_000);
}
