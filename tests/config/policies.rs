//! Policies: limits whose names exist in configuration or code alone.

use std::time::Duration;

use serde_json::json;
use tollgate::catalogue::NoClasses;
use tollgate::config::{FailureMode, Mode, Placement, PolicyBuilder, PolicyConfig, Settings};
use tollgate::limits::Refill;
use tollgate::{Class, Config};

use super::{faults_of, texts, toml};

fn small(policy: PolicyBuilder) -> PolicyBuilder {
    policy.tokens(1).period(Duration::from_secs(1)).capacity(1)
}

fn names(config: &Config) -> Vec<&str> {
    config.policies().iter().map(PolicyConfig::name).collect()
}

#[test]
fn a_policy_is_read_with_all_it_says_and_defaults_for_the_rest() {
    let json = r#"{
        "ratelimit": {
            "redis": { "url": "redis://host", "namespace": "n", "operation_timeout": "20ms" },
            "key_secret": "0123456789abcdef0123456789abcdef",
            "policies": {
                "plain": { "tokens": 10, "period": "1s", "capacity": 20 },
                "full.v2": {
                    "enabled": true, "mode": "clustered", "failure_mode": "open", "revision": "r1",
                    "default_cost": 5, "tokens": 1000000000000, "period": "365d",
                    "capacity": 1000000000000, "refill": "interval"
                }
            }
        }
    }"#;
    let file: Settings = serde_json::from_str(json).unwrap();
    let config: Config = Config::builder().file(file).build().unwrap();
    let [full, plain] = config.policies() else { panic!("two: {:?}", config.policies()) };

    assert_eq!(plain.name(), "plain");
    assert!(plain.enabled());
    assert_eq!(plain.placement(), Placement::Local);
    assert_eq!((plain.revision(), plain.default_cost()), (None, 1));
    let limits = plain.limits();
    assert_eq!((limits.tokens(), limits.capacity(), limits.period().as_secs()), (10, 20, 1));
    assert_eq!(limits.refill(), Refill::Greedy);

    assert_eq!(full.name(), "full.v2");
    let placement = Placement::Clustered { failure_mode: FailureMode::Open, lease: None };
    assert_eq!(full.placement(), placement);
    assert_eq!((full.revision(), full.default_cost()), (Some("r1"), 5));
    let limits = full.limits();
    assert_eq!((limits.tokens(), limits.capacity()), (1_000_000_000_000, 1_000_000_000_000));
    assert_eq!((limits.period().as_secs(), limits.refill()), (31_536_000, Refill::Interval));
}

#[test]
fn a_file_replaces_a_policy_of_the_code_as_a_whole_and_the_environment_changes_keys_of_it() {
    let code = Config::builder().policy("kept", |policy| small(policy).default_cost(1)).policy(
        "replaced",
        |policy| {
            let hour = Duration::from_secs(3600);
            policy.tokens(1).period(hour).capacity(9).default_cost(7).refill(Refill::Interval)
        },
    );
    let file = toml("ratelimit.policies.replaced = { tokens = 2, period = '1s', capacity = 3 }");
    let environment = [("RATELIMIT_POLICIES_REPLACED_CAPACITY", "4")];
    let config: Config = code.file(file).environment(environment).build().unwrap();
    assert_eq!(names(&config), ["kept", "replaced"]);
    let replaced = &config.policies()[1];
    assert_eq!((replaced.default_cost(), replaced.limits().refill()), (1, Refill::Greedy));
    assert_eq!((replaced.limits().tokens(), replaced.limits().capacity()), (2, 4));
}

#[test]
fn a_program_without_classes_has_the_other_keys() {
    let file = toml("ratelimit.policies.p = { tokens = 1, period = '1s', capacity = 1 }");
    let config = Config::<NoClasses>::builder().file(file).build().unwrap();
    assert_eq!(config.policies()[0].name(), "p");
    let file = toml("ratelimit.rl.read.burst = 5");
    let faults = Config::<NoClasses>::builder().file(file).build().unwrap_err();
    let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(faults, ["ratelimit.rl.read.burst (file): unknown key"]);
}

#[test]
fn two_policies_of_one_name_in_code_are_a_fault() {
    let builder = Config::builder().policy("a", small).policy("b", small).policy("a", small);
    assert_eq!(
        texts(builder.build()),
        ["ratelimit.policies.a (code): is given twice here; keep one"]
    );
}

#[test]
fn a_policy_lacks_nothing_and_exceeds_nothing() {
    const COUNT: &str = "an integer from 1 to 1000000000000";
    const PERIOD: &str = "a duration from \"1ms\" to \"365d\", with a unit of ms, s, m, h or d";
    let missing = "is missing (a policy has tokens, period and capacity); must be";
    for (fields, faults) in [
        (
            "",
            vec![
                format!("ratelimit.policies.p.capacity: {missing} {COUNT}"),
                format!("ratelimit.policies.p.period: {missing} {PERIOD}"),
                format!("ratelimit.policies.p.tokens: {missing} {COUNT}"),
            ],
        ),
        (
            "tokens = 0, period = '0ms', capacity = 1000000000001",
            vec![
                format!("ratelimit.policies.p.capacity = 1000000000001 (file): must be {COUNT}"),
                format!("ratelimit.policies.p.period = \"0ms\" (file): must be {PERIOD}"),
                format!("ratelimit.policies.p.tokens = 0 (file): must be {COUNT}"),
            ],
        ),
        (
            "tokens = 1, period = '366d', capacity = 1, default_cost = 0, refill = 'lazy'",
            vec![
                format!("ratelimit.policies.p.default_cost = 0 (file): must be {COUNT}"),
                format!("ratelimit.policies.p.period = \"366d\" (file): must be {PERIOD}"),
                "ratelimit.policies.p.refill = \"lazy\" (file): must be \"greedy\" or \"interval\""
                    .to_owned(),
            ],
        ),
        (
            "tokens = 10001, period = '1ms', capacity = 1",
            vec![
                "ratelimit.policies.p.tokens = 10001 (file): must be at most 10000 for this period, \
                 which is ten million a second"
                    .to_owned(),
            ],
        ),
        ("tokens = 10000, period = '1ms', capacity = 1", vec![]),
        (
            "tokens = 1, period = '1s', capacity = 4, default_cost = 5",
            vec![
                "ratelimit.policies.p.default_cost = 5 (file): must be at most the capacity, 4"
                    .to_owned(),
            ],
        ),
        (
            "tokens = 1, period = '1s', capcity = 4",
            vec![
                format!("ratelimit.policies.p.capacity: {missing} {COUNT}"),
                "ratelimit.policies.p.capcity (file): unknown key; \
                 did you mean `ratelimit.policies.p.capacity`?"
                    .to_owned(),
            ],
        ),
    ] {
        assert_eq!(faults_of(&format!("ratelimit.policies.p = {{ {fields} }}")), faults, "{fields}");
    }
}

#[test]
fn limits_too_fine_for_the_memory_of_one_process_come_with_what_is_not() {
    // A token of 13 a minute has 60,000,000 parts and one of 14 half as many, of which 10^12 tokens have more than 2^64; one of 12
    // has 5,000,000. (2^64 - 1 - 2 * 13 * 3.6e9) / 6e7 is 307,445,733,001.
    let fine = |policy: PolicyBuilder| {
        policy.tokens(13).period(Duration::from_secs(60)).capacity(1_000_000_000_000)
    };
    let given = texts(Config::builder().policy("fine", fine).build());
    assert_eq!(
        given,
        [
            "ratelimit.policies.fine.tokens = 13 (code): with this period and capacity a bucket cannot be counted exactly in \
          the memory of one process; the nearest tokens that it can count are 12; with these tokens the capacity can be \
          307445733001; or set mode to clustered, which counts all limits"
        ]
    );
    let twelve = |policy| fine(policy).tokens(12);
    assert_eq!(texts(Config::builder().policy("fine", twelve).build()), [""; 0]);
    let clustered =
        |policy: PolicyBuilder| fine(policy).mode(Mode::Clustered).failure_mode(FailureMode::Open);
    let backend = Config::builder()
        .redis("redis://host", "n", Duration::from_millis(20))
        .key_secret("0123456789abcdef0123456789abcdef");
    assert_eq!(texts(backend.policy("fine", clustered).build()), [""; 0]);
    // Off or not: it would be refused on the day it is switched on.
    let off = |policy| fine(policy).enabled(false);
    assert_eq!(texts(Config::builder().policy("fine", off).build()).len(), 1);
}

#[test]
fn a_clustered_policy_needs_a_failure_mode_a_backend_and_a_secret() {
    let policy = "tokens = 1, period = '1s', capacity = 1, mode = 'clustered'";
    let faults = faults_of(&format!("ratelimit.policies.p = {{ {policy} }}"));
    let lacks: Vec<_> = faults.iter().map(|fault| fault.split(';').next().unwrap()).collect();
    assert_eq!(
        lacks,
        [
            "ratelimit.key_secret: is missing (the policy p is clustered)",
            "ratelimit.policies.p.failure_mode: is missing (the mode is clustered)",
            "ratelimit.redis.namespace: is missing (the policy p is clustered)",
            "ratelimit.redis.operation_timeout: is missing (the policy p is clustered)",
            "ratelimit.redis.url: is missing (the policy p is clustered)",
        ]
    );
}

#[test]
fn a_clustered_policy_that_is_off_needs_no_backend() {
    let policy = "tokens = 1, period = '1s', capacity = 1, mode = 'clustered'";
    let off =
        format!("ratelimit.policies.p = {{ {policy}, failure_mode = 'open', enabled = false }}");
    assert_eq!(faults_of(&off), Vec::<String>::new());
}

#[test]
fn names_follow_the_grammar() {
    let policy = |name: &str| {
        faults_of(&format!(
            "ratelimit.policies.{name:?} = {{ tokens = 1, period = '1s', capacity = 1 }}"
        ))
    };
    for name in ["a", "A.b_c~d-9", "a.enabled", &"x".repeat(128)] {
        assert_eq!(policy(name), Vec::<String>::new(), "{name}");
    }
    let rule = "must be named with 1 to 128 letters, digits and . _ ~ -";
    for (name, shown) in [
        ("", String::new()),
        ("a b", "a b".to_owned()),
        ("a/b", "a/b".to_owned()),
        ("é", "é".to_owned()),
        ("a\nb", "a\\nb".to_owned()),
        (&"x".repeat(129), "x".repeat(129)),
    ] {
        assert_eq!(policy(name), [format!("ratelimit.policies.{shown}: {rule}")], "{name}");
    }
}

#[test]
fn ten_thousand_policies_are_accepted_and_one_more_is_not() {
    let policies = |count: usize| {
        let policy = |at| (format!("p{at}"), json!({ "tokens": 1, "period": "1s", "capacity": 1 }));
        let policies: serde_json::Map<_, _> = (0..count).map(policy).collect();
        let file = serde_json::from_value(json!({ "ratelimit": { "policies": policies } }));
        Config::<Class>::builder().file(file.unwrap()).build()
    };
    assert_eq!(policies(10_000).unwrap().policies().len(), 10_000);
    assert_eq!(
        texts(policies(10_001)),
        ["ratelimit.policies = 10001 policies: must be at most 10000 policies"]
    );
}
