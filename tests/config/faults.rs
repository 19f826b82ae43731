//! The text of every kind of fault, written by hand.

use tollgate::config::{Fault, Settings};
use tollgate::{Class, Config};

use super::{faults_of, from_environment, from_toml, texts, toml};

/// Asserts that a TOML file has exactly these faults.
#[track_caller]
fn assert_faults(file: &str, expected: &[&str]) {
    assert_eq!(faults_of(file), expected, "{file}");
}

const UNKNOWN: &[(&str, &str)] = &[
    (
        "ratelimit.enable = true",
        "ratelimit.enable (file): unknown key; did you mean `ratelimit.enabled`?",
    ),
    (
        "ratelimit.maxTrackedKeys = 5",
        "ratelimit.maxTrackedKeys (file): unknown key; did you mean `ratelimit.max_tracked_keys`?",
    ),
    (
        "ratelimit.rl.raed.per_minute = 5",
        "ratelimit.rl.raed.per_minute (file): unknown key; did you mean `ratelimit.rl.read.per_minute`?",
    ),
    (
        "ratelimit.rl.read.perMinute = 5",
        "ratelimit.rl.read.perMinute (file): unknown key; did you mean `ratelimit.rl.read.per_minute`?",
    ),
    (
        "ratelimit.rl.exprot.brust = 5",
        "ratelimit.rl.exprot.brust (file): unknown key; did you mean `ratelimit.rl.export.burst`?",
    ),
    (
        "ratelimit.read.burst = 5",
        "ratelimit.read.burst (file): unknown key; did you mean `ratelimit.rl.read.burst`?",
    ),
    (
        "ratelimit.rl.read.tiers.gold.perminute = 5",
        "ratelimit.rl.read.tiers.gold.perminute (file): unknown key; did you mean `ratelimit.rl.read.tiers.gold.per_minute`?",
    ),
    (
        "ratelimit.redis.uri = 'x'",
        "ratelimit.redis.uri (file): unknown key; did you mean `ratelimit.redis.url`?",
    ),
    (
        "ratelimit.default.ip.burst = 5",
        "ratelimit.default.ip.burst (file): unknown key; did you mean `ratelimit.defaults.ip.burst`?",
    ),
    (
        "rate_limit.enabled = true",
        "rate_limit.enabled (file): unknown key; did you mean `ratelimit.enabled`?",
    ),
    (
        "ratelimits.rl.read.burts = 5",
        "ratelimits.rl.read.burts (file): unknown key; did you mean `ratelimit.rl.read.burst`?",
    ),
    (
        "rl.read.burst = 5",
        "rl.read.burst (file): unknown key; did you mean `ratelimit.rl.read.burst`?",
    ),
    (
        "server.trusted_proxy = []",
        "server.trusted_proxy (file): unknown key; did you mean `server.trusted_proxies`?",
    ),
    (
        "ratelimit.trusted_proxies = []",
        "ratelimit.trusted_proxies (file): unknown key; did you mean `server.trusted_proxies`?",
    ),
    (
        "Server.trusted_proxies = []",
        "Server.trusted_proxies (file): unknown key; did you mean `server.trusted_proxies`?",
    ),
    ("ratelimit.colour = 5", "ratelimit.colour (file): unknown key"),
    ("ratelimit.rl.frobnicate.burst = 5", "ratelimit.rl.frobnicate.burst (file): unknown key"),
    ("ratelimit.defaults.colour = 5", "ratelimit.defaults.colour (file): unknown key"),
    (
        "ratelimit.redis.address = 'h'",
        "ratelimit.redis.address (file): unknown key; the keys here are url, namespace, operation_timeout, expiration_slack",
    ),
    (
        "ratelimit.rl.read.tiers.gold.colour = 5",
        "ratelimit.rl.read.tiers.gold.colour (file): unknown key; the keys here are per_minute, burst",
    ),
    (
        "[ratelimit.rl.raed]",
        "ratelimit.rl.raed (file): unknown key; did you mean `ratelimit.rl.read`?",
    ),
];

#[test]
fn an_unknown_key_names_the_nearest() {
    for (file, fault) in UNKNOWN {
        assert_faults(file, &[fault]);
    }
}

const INVALID: &[(&str, &str)] = &[
    ("ratelimit.enabled = 1", "ratelimit.enabled = 1 (file): must be true or false"),
    ("ratelimit.enabled = 'true'", "ratelimit.enabled = \"true\" (file): must be true or false"),
    (
        "ratelimit.max_tracked_keys = 0",
        "ratelimit.max_tracked_keys = 0 (file): must be an integer from 1 to 4294967296",
    ),
    (
        "ratelimit.max_tracked_keys = 4294967297",
        "ratelimit.max_tracked_keys = 4294967297 (file): must be an integer from 1 to 4294967296",
    ),
    (
        "ratelimit.max_tracked_keys = -1",
        "ratelimit.max_tracked_keys = -1 (file): must be an integer from 1 to 4294967296",
    ),
    (
        "ratelimit.max_tracked_keys = 5.0",
        "ratelimit.max_tracked_keys = 5.0 (file): must be an integer from 1 to 4294967296",
    ),
    (
        "ratelimit.max_tracked_keys = '5'",
        "ratelimit.max_tracked_keys = \"5\" (file): must be an integer from 1 to 4294967296",
    ),
    (
        "ratelimit.max_tracked_keys = ''",
        "ratelimit.max_tracked_keys = \"\" (file): must be an integer from 1 to 4294967296",
    ),
    (
        "ratelimit.max_tracked_keys = nan",
        "ratelimit.max_tracked_keys = NaN (file): must be an integer from 1 to 4294967296",
    ),
    (
        "ratelimit.max_tracked_keys = 1979-05-27",
        "ratelimit.max_tracked_keys = \"1979-05-27\" (file): must be an integer from 1 to 4294967296",
    ),
    (
        "ratelimit.max_tracked_keys = [5]",
        "ratelimit.max_tracked_keys = a list (file): must be an integer from 1 to 4294967296",
    ),
    (
        "server.trusted_proxies = { office = '10.0.0.0/8' }",
        "server.trusted_proxies = a table (file): must be a list of networks and addresses, as in \"10.0.0.0/8\" and \"2001:db8::1\"",
    ),
    (
        "server.trusted_proxies = [{ cidr = '10.0.0.0/8' }]",
        "server.trusted_proxies = a table (file): must be a list of networks and addresses, as in \"10.0.0.0/8\" and \"2001:db8::1\"",
    ),
    (
        "ratelimit.max_tracked_keys = { a = 5 }",
        "ratelimit.max_tracked_keys = a table (file): must be an integer from 1 to 4294967296",
    ),
    (
        "ratelimit.max_tracked_keys = { a = 5, b.c = [{}] }",
        "ratelimit.max_tracked_keys = a table (file): must be an integer from 1 to 4294967296",
    ),
    (
        "ratelimit.max_tracked_keys = {}",
        "ratelimit.max_tracked_keys = a table (file): must be an integer from 1 to 4294967296",
    ),
    (
        "ratelimit.max_tracked_keys = [{}]",
        "ratelimit.max_tracked_keys = a table (file): must be an integer from 1 to 4294967296",
    ),
    (
        "ratelimit.rl.read.per_minute = 4294967296",
        "ratelimit.rl.read.per_minute = 4294967296 (file): must be an integer from 1 to 600000000",
    ),
    (
        "ratelimit.ipv6_prefix = 7",
        "ratelimit.ipv6_prefix = 7 (file): must be an integer from 8 to 128",
    ),
    (
        "ratelimit.ipv6_prefix = 129",
        "ratelimit.ipv6_prefix = 129 (file): must be an integer from 8 to 128",
    ),
    (
        "ratelimit.sweep_interval = 60",
        "ratelimit.sweep_interval = 60 (file): must be a duration from \"1s\" to \"1d\", with a unit of ms, s, m, h or d",
    ),
    (
        "ratelimit.sweep_interval = '60'",
        "ratelimit.sweep_interval = \"60\" (file): must be a duration from \"1s\" to \"1d\", with a unit of ms, s, m, h or d",
    ),
    (
        "ratelimit.sweep_interval = '999ms'",
        "ratelimit.sweep_interval = \"999ms\" (file): must be a duration from \"1s\" to \"1d\", with a unit of ms, s, m, h or d",
    ),
    (
        "ratelimit.sweep_interval = '86401s'",
        "ratelimit.sweep_interval = \"86401s\" (file): must be a duration from \"1s\" to \"1d\", with a unit of ms, s, m, h or d",
    ),
    (
        "ratelimit.default_mode = 'Local'",
        "ratelimit.default_mode = \"Local\" (file): must be \"local\" or \"clustered\"",
    ),
    (
        "ratelimit.rl.read.failure_mode = 'ajar'",
        "ratelimit.rl.read.failure_mode = \"ajar\" (file): must be \"open\" or \"closed\"",
    ),
    (
        "ratelimit.rl.read.saturation = 'x'",
        "ratelimit.rl.read.saturation = \"x\" (file): must be \"evict\", \"open\" or \"closed\"",
    ),
    (
        "ratelimit.rl.read.anonymous = 'ip'",
        "ratelimit.rl.read.anonymous = \"ip\" (file): must be \"client_ip\", \"shared\", \"bypass\" or \"deny\"",
    ),
    (
        "ratelimit.rl.read.revision = 'v 2'",
        "ratelimit.rl.read.revision = \"v 2\" (file): must be 1 to 32 letters, digits and . _ -",
    ),
    (
        "ratelimit.rl.read.tiers.'a b'.burst = 5",
        "ratelimit.rl.read.tiers.a b: must be named with 1 to 128 letters, digits and . _ ~ -",
    ),
    (
        "server.client_ip_header = 'x-real-ip'",
        "server.client_ip_header = \"x-real-ip\" (file): must be \"x-forwarded-for\" or \"forwarded\"",
    ),
    (
        "server.trusted_proxies = '10.0.0.0/8'",
        "server.trusted_proxies = \"10.0.0.0/8\" (file): must be a list of networks and addresses, as in \"10.0.0.0/8\" and \"2001:db8::1\"",
    ),
    ("ratelimit = 5", "ratelimit (file): must be a table of keys"),
    ("ratelimit.rl.read = 5", "ratelimit.rl.read (file): must be a table of keys"),
    ("ratelimit.edge = 'x'", "ratelimit.edge (file): must be a list of tables"),
    (
        "[[ratelimit]]\nenabled = true\ncolour = 5",
        "ratelimit = a list (file): must be a table of keys",
    ),
    (
        "[[ratelimit.rl.read]]\nburst = 5\n[[ratelimit.rl.read]]\nburst = 6",
        "ratelimit.rl.read = a list (file): must be a table of keys",
    ),
    (
        "[[ratelimit.policies.p]]\ntokens = 5",
        "ratelimit.policies.p = a list (file): must be a table of keys",
    ),
    ("[[server]]\ntrusted_proxies = []", "server = a list (file): must be a table of keys"),
    (
        "ratelimit.edge = { name = 'x' }",
        "ratelimit.edge.name (file): unknown key; did you mean `ratelimit.edge[0].name`?",
    ),
];

#[test]
fn a_value_of_another_type_or_range_says_what_was_given_and_what_is_accepted() {
    for (file, fault) in INVALID {
        assert_faults(file, &[fault]);
    }
}

#[test]
fn both_ends_of_every_range_are_accepted_and_what_is_beyond_is_not() {
    let secret = |bytes: usize| format!("ratelimit.key_secret = '{}'", "k".repeat(bytes));
    let revision = |length: usize| format!("ratelimit.rl.read.revision = '{}'", "r".repeat(length));
    let tier = |burst: u64| {
        format!("ratelimit.rl.read.tiers.t = {{ per_minute = {burst}, burst = {burst} }}")
    };
    for (accepted, beyond) in [
        ("ratelimit.max_tracked_keys = 1", "ratelimit.max_tracked_keys = 0"),
        ("ratelimit.max_tracked_keys = 4294967296", "ratelimit.max_tracked_keys = 4294967297"),
        ("ratelimit.rl.read.max_tracked_keys = 1", "ratelimit.rl.read.max_tracked_keys = 0"),
        ("ratelimit.sweep_interval = '1s'", "ratelimit.sweep_interval = '999ms'"),
        ("ratelimit.sweep_interval = '1d'", "ratelimit.sweep_interval = '86401s'"),
        ("ratelimit.ipv6_prefix = 8", "ratelimit.ipv6_prefix = 7"),
        ("ratelimit.ipv6_prefix = 128", "ratelimit.ipv6_prefix = 129"),
        ("ratelimit.rl.read.burst = 1", "ratelimit.rl.read.burst = 0"),
        ("ratelimit.rl.read.burst = 4294967295", "ratelimit.rl.read.burst = 4294967296"),
        ("ratelimit.rl.read.per_minute = 1", "ratelimit.rl.read.per_minute = 0"),
        ("ratelimit.rl.read.per_minute = 600000000", "ratelimit.rl.read.per_minute = 600000001"),
        ("ratelimit.rl.admin.burst = 10", "ratelimit.rl.admin.burst = 9"),
        ("ratelimit.redis.url = 'redis://h'", "ratelimit.redis.url = 'redis://'"),
        ("ratelimit.redis.url = 'rediss://h'", "ratelimit.redis.url = 'rediss://h h'"),
        ("ratelimit.redis.operation_timeout = '1ms'", "ratelimit.redis.operation_timeout = '0ms'"),
        (
            "ratelimit.redis.operation_timeout = '60s'",
            "ratelimit.redis.operation_timeout = '60001ms'",
        ),
        ("ratelimit.redis.expiration_slack = '1d'", "ratelimit.redis.expiration_slack = '25h'"),
        (
            "server.trusted_proxies = ['::/0', '0.0.0.0/0']",
            "server.trusted_proxies = ['::/129', '::/0']",
        ),
        (&secret(32), &secret(31)),
        (&revision(1), &revision(0)),
        (&revision(32), &revision(33)),
        (&tier(1), &tier(0)),
    ] {
        assert_faults(accepted, &[]);
        let count = if beyond == tier(0) { 2 } else { 1 };
        assert_eq!(faults_of(beyond).len(), count, "{beyond}: {:?}", faults_of(beyond));
    }
}

#[test]
fn a_list_of_servers_that_is_somebody_elses_is_not_looked_at() {
    assert_faults("[[server]]\nname = 'a'\nport = 80", &[]);
}

#[test]
fn a_rule_cannot_have_the_name_of_a_default_budget() {
    for name in ["default.ip", "default.tenant"] {
        assert_faults(
            &format!(
                "[[ratelimit.edge]]\nname = '{name}'\nkeys = ['global']\nper_minute = 1\nburst = 1"
            ),
            &[&format!(
                "ratelimit.edge[0].name = \"{name}\" (file): is also the name of a default budget; choose another"
            )],
        );
    }
}

#[test]
fn a_position_in_a_list_has_one_spelling() {
    for position in ["00", "+0", "-1", "4294967296", "", "x"] {
        let file = format!("\"ratelimit.edge[{position}].burst\" = 5");
        let fault = format!("ratelimit.edge[{position}].burst (file): unknown key");
        assert_eq!(faults_of(&file), [fault]);
    }
}

#[test]
fn every_bad_element_of_a_list_is_a_fault() {
    assert_faults(
        "server.trusted_proxies = ['10.0.0.0/33', '10.0.0.0/8', 'localhost', 5, '']",
        &["0] = \"10.0.0.0/33\"", "2] = \"localhost\"", "3] = 5", "4] = \"\""]
            .map(|element| {
                format!(
                    "server.trusted_proxies[{element} (file): must be a network or an address, \
                     as in \"10.0.0.0/8\" or \"2001:db8::1\""
                )
            })
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    );
}

#[test]
fn two_spellings_of_one_key_in_one_file_are_a_fault() {
    let file = "\"ratelimit.rl.read.burst\" = 5\n[ratelimit.rl.read]\nburst = 6";
    assert_faults(file, &["ratelimit.rl.read.burst (file): is given twice here; keep one"]);
    let json = r#"{"ratelimit": {"enabled": true, "enabled": true}}"#;
    let file = serde_json::from_str(json).unwrap();
    let faults = texts(Config::builder().file(file).build());
    assert_eq!(faults, ["ratelimit.enabled (file): is given twice here; keep one"]);
}

#[test]
fn a_clustered_class_needs_a_failure_mode_a_backend_and_a_secret() {
    let faults = [
        "ratelimit.key_secret: is missing (rl.read is clustered); must be a text of 32 bytes or more",
        "ratelimit.redis.namespace: is missing (rl.read is clustered); must be 1 to 128 letters, digits and . _ ~ -",
        "ratelimit.redis.operation_timeout: is missing (rl.read is clustered); must be a duration from \"1ms\" to \"1m\", with a unit of ms, s, m, h or d",
        "ratelimit.redis.url: is missing (rl.read is clustered); must be a URL that starts with redis://, redis+cluster:// or redis+sentinel://, and each as rediss",
        "ratelimit.rl.read.failure_mode: is missing (the mode is clustered); must be \"open\" or \"closed\"",
    ];
    assert_faults("ratelimit.rl.read.mode = 'clustered'", &faults);
    // Switching everything off checks everything just the same.
    assert_faults("ratelimit.enabled = false\nratelimit.rl.read.mode = 'clustered'", &faults);
    // A class that is off needs no backend.
    let off = "ratelimit.rl.read = { mode = 'clustered', enabled = false, failure_mode = 'open' }";
    assert_faults(off, &[]);
}

#[test]
fn the_default_mode_is_the_mode_of_every_class_that_says_nothing() {
    let faults = faults_of("ratelimit.default_mode = 'clustered'");
    for class in Class::ALL {
        let missing = format!("ratelimit.{class}.failure_mode: is missing");
        assert!(faults.iter().any(|fault| fault.starts_with(&missing)), "{missing}");
    }
}

#[test]
fn every_action_fits_the_bucket_of_its_class_and_of_its_tiers() {
    // Registering costs 2 tokens of rl.public_auth, deleting in bulk 10 of rl.admin.
    let file = "
        ratelimit.enabled = false
        ratelimit.rl.public_auth.burst = 1
        ratelimit.rl.admin.tiers.free.burst = 9
        ";
    let code = Config::<Class>::builder().class(Class::Admin, |class| class.burst(9));
    assert_eq!(
        texts(code.file(toml(file)).build()),
        [
            "ratelimit.rl.admin.burst = 9 (code): must be at least 10, the cost of message.bulk_delete",
            "ratelimit.rl.admin.tiers.free.burst = 9 (file): must be at least 10, the cost of message.bulk_delete",
            "ratelimit.rl.public_auth.burst = 1 (file): must be at least 2, the cost of auth.register",
        ]
    );
}

#[test]
fn a_lease_has_both_halves_and_fits_its_class() {
    assert_faults(
        "ratelimit.rl.read.lease.tokens = 121",
        &[
            "ratelimit.rl.read.lease.ttl: is missing (a lease has tokens and ttl); must be a duration from \"1ms\" to \"1m\", with a unit of ms, s, m, h or d",
        ],
    );
    assert_faults(
        "ratelimit.rl.read.lease = { tokens = 121, ttl = '1s' }",
        &[
            "ratelimit.rl.read.lease.tokens = 121 (file): must be at most the burst of the class, 120",
        ],
    );
}

#[test]
fn an_edge_rule_is_checked_as_a_whole() {
    assert_faults(
        r#"
        [[ratelimit.edge]]
        name = "a"
        keys = ["global", "client_ip"]
        per_minute = 1
        burst = 1
        [[ratelimit.edge]]
        name = "a"
        keys = ["header"]
        per_minute = 1
        burst = 1
        [[ratelimit.edge]]
        keys = ["client_ip", "client_ip", "cookie"]
        burst = 0
        [[ratelimit.edge]]
        name = "rl.read"
        keys = []
        header = "x y"
        per_minute = 1
        burst = 1
        "#,
        &[
            r#"ratelimit.edge[0].keys (file): "global" stands alone; remove it or the others"#,
            "ratelimit.edge[1].header: is missing (the rule is keyed by a header); must be 1 to 128 letters, digits and ! # $ % & ' * + - . ^ _ ` | ~",
            r#"ratelimit.edge[1].name = "a" (file): is also the name of ratelimit.edge[0]; choose another"#,
            "ratelimit.edge[2].burst = 0 (file): must be an integer from 1 to 4294967295",
            r#"ratelimit.edge[2].keys[1] = "client_ip" (file): must be "global", "client_ip" or "header", each at most once"#,
            r#"ratelimit.edge[2].keys[2] = "cookie" (file): must be "global", "client_ip" or "header", each at most once"#,
            "ratelimit.edge[2].name: is missing (every rule has one); must be 1 to 128 letters, digits and . _ ~ -",
            "ratelimit.edge[2].per_minute: is missing (every rule has one); must be an integer from 1 to 600000000",
            "ratelimit.edge[3].header = \"x y\" (file): must be 1 to 128 letters, digits and ! # $ % & ' * + - . ^ _ ` | ~",
            r#"ratelimit.edge[3].keys = an empty list (file): must be a list of "global", "client_ip" or "header", each at most once"#,
            r#"ratelimit.edge[3].name = "rl.read" (file): is also the name of a class; choose another"#,
        ],
    );
    assert_faults(
        r#"
        [[ratelimit.edge]]
        name = "a"
        keys = ["client_ip"]
        header = "x-api-key"
        missing = "bypass"
        per_minute = 1
        burst = 1
        "#,
        &[
            r#"ratelimit.edge[0].header (file): means nothing here; add "header" to the keys or remove it"#,
            r#"ratelimit.edge[0].missing (file): means nothing here; add "header" to the keys or remove it"#,
        ],
    );
}

#[test]
fn a_budget_has_both_halves() {
    assert_faults(
        "ratelimit.defaults = { tenant.burst = 5, ip.per_minute = 5 }",
        &[
            "ratelimit.defaults.ip.burst: is missing (a budget has per_minute and burst); must be an integer from 1 to 4294967295",
            "ratelimit.defaults.tenant.per_minute: is missing (a budget has per_minute and burst); must be an integer from 1 to 600000000",
        ],
    );
}

#[test]
fn code_is_checked_like_everything_else() {
    let code = Config::<Class>::builder()
        .sweep_interval(std::time::Duration::from_millis(999))
        .class(Class::Read, |class| class.burst(0).revision("hunter 2").tier("a b", 1, 1))
        .policy("p", |policy| {
            policy.tokens(1).period(std::time::Duration::from_nanos(1_000_001)).capacity(1)
        })
        .key_secret("hunter2");
    let shown = format!("{code:?}");
    assert!(!shown.contains("hunter2"), "{shown}");
    assert_eq!(
        texts(code.build()),
        [
            "ratelimit.key_secret (code): must be a text of 32 bytes or more",
            "ratelimit.policies.p.period (code): period is 1.000001ms; it must be whole microseconds from 1 ms to 365 days",
            "ratelimit.rl.read.burst = 0 (code): must be an integer from 1 to 4294967295",
            "ratelimit.rl.read.revision = \"hunter 2\" (code): must be 1 to 32 letters, digits and . _ -",
            "ratelimit.rl.read.tiers.a b: must be named with 1 to 128 letters, digits and . _ ~ -",
            "ratelimit.sweep_interval = 999ms (code): must be a duration from \"1s\" to \"1d\", with a unit of ms, s, m, h or d",
        ]
    );
}

#[test]
fn half_a_backend_is_none_while_nothing_needs_one() {
    let half = "ratelimit.redis = { namespace = 'chat', operation_timeout = '50ms' }";
    assert!(from_toml(half).unwrap().redis().is_none());
    let url = [("RATELIMIT_REDIS_URL", "redis://host")];
    let whole = Config::<Class>::builder().file(toml(half)).environment(url).build().unwrap();
    assert_eq!(whole.redis().unwrap().namespace(), "chat");
}

#[test]
fn a_secret_in_the_wrong_place_is_not_shown() {
    let wrong = toml(
        r#"
        [ratelimit]
        key_sercet = "hunter2"
        edge = ["hunter2"]
        redis = "redis://user:hunter2@host"
        rl = "hunter2"
        key_secret.value = "hunter2"
        [ratelimits]
        key_secret = "hunter2"
        "#,
    );
    let text = Config::<Class>::builder().file(wrong).build().unwrap_err().to_string();
    assert_eq!(text.lines().count(), 7, "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}

#[test]
fn an_address_that_may_hold_a_password_is_not_shown_whichever_key_it_stands_under() {
    let wrong = toml(
        r#"
        [ratelimit.redis]
        url = "chat"
        namespace = "redis://user:hunter2@host"
        [ratelimit.rl.read]
        mode = "rediss://:hunter2@host"
        [server]
        trusted_proxies = ["http://user:hunter2@10.0.0.1"]
        "#,
    );
    let environment = [("RATELIMIT_SWEEP_INTERVAL", "redis://user:hunter2@host")];
    let faults = Config::<Class>::builder().file(wrong).environment(environment).build();
    let faults = faults.unwrap_err();
    assert_eq!(faults.iter().count(), 5, "{faults}");
    assert!(!format!("{faults} {faults:?}").contains("hunter2"), "{faults}");
    let namespace = faults.iter().find(|fault| fault.key() == "ratelimit.redis.namespace");
    assert_eq!(namespace.and_then(|fault| fault.value()), Some("\"redis://...\""));
}

#[test]
fn a_file_that_is_one_text_is_not_shown() {
    // As a file of YAML is when its lines have `=` in the place of `: `.
    let text: Settings = serde_json::from_str(r#""ratelimit.key_secret=hunter2""#).unwrap();
    let faults = Config::<Class>::builder().file(text).build().unwrap_err();
    assert_eq!(faults.iter().map(Fault::value).collect::<Vec<_>>(), [Some("a text")]);
    assert!(!format!("{faults} {faults:?}").contains("hunter2"), "{faults}");
}

#[test]
fn faults_of_the_environment_name_the_variable() {
    let faults = from_environment(&[
        ("RATELIMIT_RL_READ_PER_MINUTE", "5.5"),
        ("RATELIMIT_ENABLED", ""),
        ("SERVER_TRUSTED_PROXIES", "10.0.0.0/8,nowhere"),
    ]);
    assert_eq!(
        texts(faults),
        [
            "ratelimit.enabled = \"\" (environment variable RATELIMIT_ENABLED): must be true or false",
            "ratelimit.rl.read.per_minute = \"5.5\" (environment variable RATELIMIT_RL_READ_PER_MINUTE): must be an integer from 1 to 600000000",
            "server.trusted_proxies[1] = \"nowhere\" (environment variable SERVER_TRUSTED_PROXIES): must be a network or an address, as in \"10.0.0.0/8\" or \"2001:db8::1\"",
        ]
    );
}

#[test]
fn a_value_that_another_source_replaces_is_checked_all_the_same() {
    let file = toml("ratelimit.rl.read.per_minute = 0");
    let variables = [("RATELIMIT_RL_READ_PER_MINUTE", "5")];
    assert_eq!(
        texts(Config::builder().file(file).environment(variables).build()),
        ["ratelimit.rl.read.per_minute = 0 (file): must be an integer from 1 to 600000000"]
    );
}

#[test]
fn ten_faults_are_ten_lines_and_no_secret_is_shown() {
    let file = toml(
        r#"
        [server]
        trusted_proxies = ["10.0.0.0/8", "elsewhere"]
        [ratelimit]
        enabled = "on"
        max_tracked_keys = 0
        sweep_interval = "1w"
        key_secret = "hunter2-short"
        keysecret = "hunter2-misspelled"
        [ratelimit.rl.read]
        per_minute = -5
        brust = 5
        [ratelimit.redis]
        url = "http://user:hunter2@host"
        namespace = ""
        operation_timeout = "1s"
        "#,
    );
    let variables = [("RATELIMIT_KEY_SECRET", "hunter2")];
    let builder = Config::<Class>::builder().file(file).environment(variables);
    let shown = format!("{builder:?}");
    assert!(!shown.contains("hunter2"), "{shown}");
    let faults = builder.build().unwrap_err();
    assert_eq!(faults.iter().count(), 11);
    let text = faults.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 12, "{text}");
    assert_eq!(lines[0], "the configuration has 11 faults:");
    for shown in [text, format!("{faults:?}"), format!("{faults:#?}")] {
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

#[test]
fn a_checked_configuration_shows_no_secret() {
    let config = from_toml(
        r#"
        [ratelimit]
        key_secret = "hunter2hunter2hunter2hunter2hunter2"
        [ratelimit.redis]
        url = "redis://user:hunter2@host"
        namespace = "n"
        operation_timeout = "1s"
        "#,
    )
    .unwrap();
    for shown in [format!("{config:?}"), format!("{config:#?}")] {
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(shown.contains("operation_timeout"), "the rest is shown: {shown}");
    }
}

#[test]
fn text_that_is_not_one_line_or_too_long_is_shown_as_one_short_line() {
    assert_faults(
        "ratelimit.default_mode = \"a\\nb\\u001b[31m\\u202e\"",
        &[
            "ratelimit.default_mode = \"a\\nb\\u{1b}[31m\\u{202e}\" (file): must be \"local\" or \"clustered\"",
        ],
    );
    let long = "x".repeat(1000);
    let fault = format!(
        "ratelimit.default_mode = \"{}...\" (file): must be \"local\" or \"clustered\"",
        "x".repeat(300)
    );
    assert_faults(&format!("ratelimit.default_mode = '{long}'"), &[&fault]);
}

#[test]
#[cfg(unix)]
fn a_variable_that_is_not_unicode_is_a_fault_and_a_foreign_one_is_not_looked_at() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    let broken = || OsString::from_vec(vec![b'a', 0xff]);
    let variables = [
        (OsString::from("RATELIMIT_KEY_SECRET"), broken()),
        (OsString::from("RATELIMIT_ENABLED"), broken()),
        (OsString::from("SOMETHING"), broken()),
        (broken(), broken()),
    ];
    assert_eq!(
        texts(Config::builder().environment(variables).build()),
        [
            "ratelimit.enabled (environment variable RATELIMIT_ENABLED): is not Unicode; must be true or false",
            "ratelimit.key_secret (environment variable RATELIMIT_KEY_SECRET): is not Unicode; must be a text of 32 bytes or more",
        ]
    );
}

#[test]
fn a_variable_that_means_two_keys_is_a_fault_of_both() {
    let file = toml(
        r#"
        [ratelimit.policies]
        "a-b" = { tokens = 1, period = "1s", capacity = 1 }
        "a.b" = { tokens = 1, period = "1s", capacity = 1 }
        "#,
    );
    let variables = [("RATELIMIT_POLICIES_A_B_CAPACITY", "5")];
    let reason = "(environment variable RATELIMIT_POLICIES_A_B_CAPACITY): the variable means \
                  ratelimit.policies.a-b.capacity and ratelimit.policies.a.b.capacity; \
                  set them in the file";
    assert_eq!(
        texts(Config::builder().file(file).environment(variables).build()),
        ["a-b", "a.b"].map(|name| format!("ratelimit.policies.{name}.capacity {reason}"))
    );
}

#[test]
fn a_deeply_nested_file_is_refused_while_it_is_read() {
    let deep = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let read = |levels| serde_json::from_str::<Settings>(&deep(levels));
    assert!(read(32).is_ok());
    let error = read(33).unwrap_err().to_string();
    assert!(error.starts_with("nested deeper than 32 levels"), "{error}");
}

#[test]
fn numbers_beyond_64_bits_are_shown_as_they_were_given() {
    use serde::Deserialize as _;
    use serde::de::value::{Error, MapDeserializer, U128Deserializer};

    let settings = |number: u128| {
        let number = U128Deserializer::<Error>::new(number);
        let table = MapDeserializer::new([("ratelimit.ipv6_prefix", number)].into_iter());
        Settings::deserialize(table).unwrap()
    };
    assert_eq!(
        texts(Config::builder().file(settings(u128::MAX)).build()),
        [
            "ratelimit.ipv6_prefix = 340282366920938463463374607431768211455 (file): must be an integer from 8 to 128"
        ]
    );
    // The low 64 bits of this number are 64, which would be accepted.
    let faults = texts(Config::builder().file(settings((1 << 64) | 64)).build());
    assert_eq!(faults.len(), 1, "{faults:?}");
}

#[test]
fn a_key_that_its_format_does_not_hand_over_as_text_is_a_key() {
    use std::collections::BTreeMap;

    use serde::Deserialize as _;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, MapDeserializer};

    // YAML has tables with numbers and booleans as keys.
    fn read<'de>(table: impl IntoDeserializer<'de, Error>) -> Vec<String> {
        let file = Settings::deserialize(table.into_deserializer()).unwrap();
        texts(Config::builder().file(file).build())
    }
    let table = |key: &'static str| BTreeMap::from([(key, 1_u64)]);
    let unknown = |key: &str| [format!("ratelimit.{key} (file): unknown key")];
    let by_number = BTreeMap::from([(7_u64, table("x"))]);
    assert_eq!(read(BTreeMap::from([("ratelimit", by_number)])), unknown("7.x"));
    let by_number = BTreeMap::from([(-7_i64, table("x"))]);
    assert_eq!(read(BTreeMap::from([("ratelimit", by_number)])), unknown("-7.x"));
    let by_boolean = MapDeserializer::<_, Error>::new([(true, table("x"))].into_iter());
    let file = Settings::deserialize(by_boolean).unwrap();
    assert!(texts(Config::builder().file(file).build()).is_empty(), "`true` is not ours");
}

#[test]
fn a_number_that_its_format_hands_over_as_text_is_a_number() {
    // What `serde_json` does when any crate of the program turns `arbitrary_precision` on.
    let number = |text: &str| {
        let json =
            format!(r#"{{"ratelimit.ipv6_prefix": {{"$serde_json::private::Number": "{text}"}}}}"#);
        texts(Config::builder().file(serde_json::from_str(&json).unwrap()).build())
    };
    assert_eq!(number("48"), Vec::<String>::new());
    assert_eq!(
        number("-1"),
        ["ratelimit.ipv6_prefix = -1 (file): must be an integer from 8 to 128"]
    );
    assert_eq!(
        number("48.0"),
        ["ratelimit.ipv6_prefix = 48.0 (file): must be an integer from 8 to 128"]
    );
}
