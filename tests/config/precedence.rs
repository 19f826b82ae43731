//! The environment is over the file, the file over the code, the code over the catalogue.

use std::time::Duration;

use tollgate::config::{
    Anonymous, ClientIpHeader, EdgeKey, EdgeRule, FailureMode, Lease, MissingHeader, Mode,
    Placement, Saturation,
};
use tollgate::limits::Refill;
use tollgate::{Class, Config};

use super::{from_environment, from_toml, toml};

fn per_minute_and_burst(config: &Config, class: Class) -> (u64, u64) {
    let limits = config.class(class).limits();
    assert_eq!(limits.period(), Duration::from_secs(60));
    (limits.tokens(), limits.capacity())
}

#[test]
fn the_default_is_the_catalogue() {
    let config = Config::<Class>::default();
    for class in Class::ALL {
        assert_eq!(config.class(*class).limits(), class.definition().limits, "{class}");
        assert!(config.class(*class).enabled());
        assert!(!config.class(*class).shadow());
        assert_eq!(config.class(*class).placement(), Placement::Local);
        assert_eq!(config.class(*class).anonymous(), Anonymous::ClientIp);
        assert_eq!(config.class(*class).saturation(), Saturation::Evict);
        assert_eq!(config.class(*class).max_tracked_keys(), None);
        assert_eq!(config.class(*class).revision(), None);
    }
    assert!(config.enabled());
    assert_eq!(config.max_tracked_keys(), 100_000);
    assert_eq!(config.sweep_interval(), Duration::from_secs(60));
    assert_eq!(config.ipv6_prefix(), 64);
    assert_eq!(config.trusted_proxies(), []);
    assert_eq!(config.client_ip_header(), ClientIpHeader::XForwardedFor);
    assert_eq!((config.default_tenant(), config.default_ip()), (None, None));
    assert!(config.edge().is_empty());
    assert!(config.redis().is_none());
    assert!(config.warnings().is_empty());
}

#[test]
fn each_source_is_over_the_one_before_it_key_by_key() {
    let code = |class: tollgate::config::ClassBuilder| class.per_minute(11).burst(12);
    let file = || toml("[ratelimit.rl.read]\nper_minute = 21");
    let environment = [("RATELIMIT_RL_READ_PER_MINUTE", "31")];

    let builder = Config::builder();
    assert_eq!(per_minute_and_burst(&builder.build().unwrap(), Class::Read), (600, 120));
    let builder = Config::builder().class(Class::Read, code);
    assert_eq!(per_minute_and_burst(&builder.build().unwrap(), Class::Read), (11, 12));
    let builder = Config::builder().file(file()).class(Class::Read, code);
    assert_eq!(per_minute_and_burst(&builder.build().unwrap(), Class::Read), (21, 12));
    let builder = Config::builder().environment(environment).file(file()).class(Class::Read, code);
    assert_eq!(per_minute_and_burst(&builder.build().unwrap(), Class::Read), (31, 12));
}

#[test]
fn of_two_files_the_later_wins() {
    let base = toml("[ratelimit.rl.read]\nper_minute = 1\nburst = 2");
    let local = toml("[ratelimit.rl.read]\nper_minute = 3");
    let config = Config::builder().file(base).file(local).build().unwrap();
    assert_eq!(per_minute_and_burst(&config, Class::Read), (3, 2));
}

#[test]
fn a_file_sets_every_key_of_the_limiter() {
    let config = from_toml(
        r#"
        [server]
        trusted_proxies = ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32", "2001:db8::1", "::ffff:172.16.0.0/108"]
        client_ip_header = "forwarded"

        [ratelimit]
        enabled = false
        max_tracked_keys = 4_294_967_296
        sweep_interval = "1d"
        ipv6_prefix = 48
        default_mode = "local"
        key_secret = "0123456789abcdef0123456789abcdef"

        [ratelimit.rl]
        read = { mode = "clustered", failure_mode = "open", per_minute = 7, burst = 9, lease = { tokens = 9, ttl = "200ms" } }
        typing.revision = "v2.1_a-b"
        typing.max_tracked_keys = 5
        typing.saturation = "closed"
        typing.anonymous = "deny"
        typing.shadow = true
        typing.enabled = false
        typing.tiers.gold = { per_minute = 100, burst = 50 }
        typing.tiers."a.b" = { burst = 60 }

        [ratelimit.defaults]
        tenant = { per_minute = 1000, burst = 100 }
        ip = { per_minute = 60, burst = 10 }

        [ratelimit.redis]
        url = "rediss://user:password@cache.example:6380/0"
        namespace = "chat"
        operation_timeout = "50ms"
        expiration_slack = "5s"
        "#,
    );
    let config = config.unwrap_or_else(|faults| panic!("{faults}"));
    let networks =
        ["10.0.0.0/8", "192.0.2.7/32", "2001:db8::/32", "2001:db8::1/128", "172.16.0.0/12"];
    let networks = networks.map(|network| network.parse().unwrap());
    assert_eq!(config.trusted_proxies(), networks);
    assert_eq!(config.client_ip_header(), ClientIpHeader::Forwarded);
    assert!(!config.enabled());
    assert_eq!(config.max_tracked_keys(), 1 << 32);
    assert_eq!(config.sweep_interval(), Duration::from_secs(86_400));
    assert_eq!(config.ipv6_prefix(), 48);

    let read = config.class(Class::Read);
    let lease = Some(Lease { tokens: 9, ttl: Duration::from_millis(200) });
    let placement = Placement::Clustered { failure_mode: FailureMode::Open, lease };
    assert_eq!(read.placement(), placement);
    assert_eq!(per_minute_and_burst(&config, Class::Read), (7, 9));

    let typing = config.class(Class::Typing);
    assert_eq!(typing.placement(), Placement::Local);
    assert_eq!(typing.revision(), Some("v2.1_a-b"));
    assert_eq!(typing.max_tracked_keys(), Some(5));
    assert_eq!(typing.saturation(), Saturation::Closed);
    assert_eq!(typing.anonymous(), Anonymous::Deny);
    assert!(typing.shadow());
    assert!(!typing.enabled());
    let tier = |name| typing.tier(name).map(|limits| (limits.tokens(), limits.capacity()));
    assert_eq!(tier("gold"), Some((100, 50)));
    assert_eq!(tier("a.b"), Some((30, 60)), "what a tier does not say is its class's");
    assert_eq!(tier("silver"), None);

    let budget = |limits: Option<tollgate::Limits>| limits.map(|l| (l.tokens(), l.capacity()));
    assert_eq!(budget(config.default_tenant()), Some((1000, 100)));
    assert_eq!(budget(config.default_ip()), Some((60, 10)));
    let redis = config.redis().unwrap();
    assert_eq!(redis.namespace(), "chat");
    assert_eq!(redis.operation_timeout(), Duration::from_millis(50));
    assert_eq!(redis.expiration_slack(), Duration::from_secs(5));
}

#[test]
fn code_says_all_that_a_file_says() {
    let file = r#"
        [server]
        trusted_proxies = ["10.0.0.0/8", "2001:db8::/32"]
        client_ip_header = "forwarded"
        [ratelimit]
        enabled = false
        max_tracked_keys = 5
        sweep_interval = "90s"
        default_mode = "local"
        ipv6_prefix = 56
        key_secret = "0123456789abcdef0123456789abcdef"
        [ratelimit.rl.read]
        per_minute = 1
        burst = 2
        enabled = false
        shadow = true
        mode = "clustered"
        failure_mode = "closed"
        revision = "r"
        lease = { tokens = 2, ttl = "20ms" }
        max_tracked_keys = 3
        saturation = "open"
        anonymous = "shared"
        tiers.gold = { per_minute = 4, burst = 5 }
        [ratelimit.defaults]
        tenant = { per_minute = 6, burst = 7 }
        ip = { per_minute = 8, burst = 9 }
        [[ratelimit.edge]]
        name = "e"
        keys = ["client_ip", "header"]
        header = "X-Key"
        missing = "bypass"
        per_minute = 10
        burst = 11
        [ratelimit.policies.p]
        tokens = 12
        period = "1500ms"
        capacity = 13
        refill = "interval"
        default_cost = 2
        enabled = false
        mode = "clustered"
        failure_mode = "open"
        revision = "s"
        [ratelimit.redis]
        url = "redis://host"
        namespace = "n"
        operation_timeout = "14ms"
        expiration_slack = "15s"
        "#;
    let networks = ["10.0.0.0/8", "2001:db8::/32"].map(|network| network.parse().unwrap());
    let code = Config::<Class>::builder()
        .trusted_proxies(networks)
        .client_ip_header(ClientIpHeader::Forwarded)
        .enabled(false)
        .max_tracked_keys(5)
        .sweep_interval(Duration::from_secs(90))
        .default_mode(Mode::Local)
        .ipv6_prefix(56)
        .key_secret("0123456789abcdef0123456789abcdef")
        .class(Class::Read, |class| {
            class
                .per_minute(1)
                .burst(2)
                .enabled(false)
                .shadow(true)
                .mode(Mode::Clustered)
                .failure_mode(FailureMode::Closed)
                .revision("r")
                .lease(2, Duration::from_millis(20))
                .max_tracked_keys(3)
                .saturation(Saturation::Open)
                .anonymous(Anonymous::Shared)
                .tier("gold", 4, 5)
        })
        .default_tenant(6, 7)
        .default_ip(8, 9)
        .edge(|rule| {
            let rule = rule.name("e").keys([EdgeKey::ClientIp, EdgeKey::Header]).header("X-Key");
            rule.missing(MissingHeader::Bypass).per_minute(10).burst(11)
        })
        .policy("p", |policy| {
            policy
                .tokens(12)
                .period(Duration::from_millis(1500))
                .capacity(13)
                .refill(Refill::Interval)
                .default_cost(2)
                .enabled(false)
                .mode(Mode::Clustered)
                .failure_mode(FailureMode::Open)
                .revision("s")
        })
        .redis("redis://host", "n", Duration::from_millis(14))
        .expiration_slack(Duration::from_secs(15));
    let code = code.build().unwrap_or_else(|faults| panic!("{faults}"));
    let file = from_toml(file).unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(format!("{code:#?}"), format!("{file:#?}"));
    assert_ne!(format!("{code:#?}"), format!("{:#?}", Config::<Class>::default()));
}

#[test]
fn edge_rules_keep_their_order_and_a_later_list_replaces_an_earlier_one() {
    let file = toml(
        r#"
        [[ratelimit.edge]]
        name = "everything"
        keys = ["global"]
        per_minute = 60000
        burst = 1000

        [[ratelimit.edge]]
        name = "by-key"
        keys = ["header", "client_ip"]
        header = "X-Api-Key"
        missing = "bypass"
        per_minute = 600
        burst = 100
        "#,
    );
    let code = Config::<Class>::builder()
        .edge(|rule| rule.name("old").keys([EdgeKey::Global]).per_minute(1).burst(1));
    let alone = code.clone().build().unwrap();
    assert_eq!(alone.edge().iter().map(EdgeRule::name).collect::<Vec<_>>(), ["old"]);

    let environment = [("RATELIMIT_EDGE_1_BURST", "7")];
    let config = code.clone().file(file).environment(environment).build().unwrap();
    let [everything, by_key] = config.edge() else { panic!("two rules: {:?}", config.edge()) };
    assert_eq!((everything.name(), everything.keys()), ("everything", &[EdgeKey::Global][..]));
    assert_eq!((everything.header(), everything.missing()), (None, MissingHeader::Shared));
    assert_eq!((everything.limits().tokens(), everything.limits().capacity()), (60_000, 1000));
    assert_eq!(
        (by_key.name(), by_key.keys()),
        ("by-key", &[EdgeKey::Header, EdgeKey::ClientIp][..])
    );
    assert_eq!((by_key.header(), by_key.missing()), (Some("x-api-key"), MissingHeader::Bypass));
    assert_eq!((by_key.limits().tokens(), by_key.limits().capacity()), (600, 7));

    let none = code.file(toml("[ratelimit]\nedge = []")).build().unwrap();
    assert!(none.edge().is_empty(), "an empty list of a file replaces the rules of the code");
}

#[test]
fn the_environment_sets_scalars_lists_and_the_server() {
    let config = from_environment(&[
        ("RATELIMIT_ENABLED", "false"),
        ("RATELIMIT_SWEEP_INTERVAL", "5s"),
        ("RATELIMIT_RL_READ_PER_MINUTE", "600"),
        ("RATELIMIT_RL_PUBLIC_AUTH_BURST", "20"),
        ("SERVER_TRUSTED_PROXIES", "10.0.0.0/8, 192.0.2.1"),
        ("SERVER_CLIENT_IP_HEADER", "forwarded"),
    ])
    .unwrap();
    assert!(!config.enabled());
    assert_eq!(config.sweep_interval(), Duration::from_secs(5));
    assert_eq!(per_minute_and_burst(&config, Class::PublicAuth), (20, 20));
    let networks = ["10.0.0.0/8", "192.0.2.1/32"].map(|network| network.parse().unwrap());
    assert_eq!(config.trusted_proxies(), networks);
    assert_eq!(config.client_ip_header(), ClientIpHeader::Forwarded);
}

#[test]
fn an_empty_variable_empties_a_list() {
    let file = toml("[server]\ntrusted_proxies = ['10.0.0.0/8']");
    let builder = Config::<Class>::builder().file(file);
    let config = builder.environment([("SERVER_TRUSTED_PROXIES", "")]).build().unwrap();
    assert_eq!(config.trusted_proxies(), []);
}

#[test]
fn the_prefix_of_variables_stands_before_the_whole_name() {
    let variables = [
        ("ACME_RATELIMIT_MAX_TRACKED_KEYS", "5"),
        ("ACME_SERVER_CLIENT_IP_HEADER", "forwarded"),
        ("RATELIMIT_MAX_TRACKED_KEYS", "not ours"),
        ("SERVER_CLIENT_IP_HEADER", "not ours"),
    ];
    let builder = Config::<Class>::builder().environment_prefix("ACME_");
    let config = builder.environment(variables).build().unwrap();
    assert_eq!(config.max_tracked_keys(), 5);
    assert_eq!(config.client_ip_header(), ClientIpHeader::Forwarded);
}

#[test]
fn an_unknown_variable_warns_and_stops_nothing() {
    let config = from_environment(&[
        ("RATELIMIT_MAX_TRACKED_KEY", "5"),
        ("RATELIMIT_SERVICE_HOST", "10.0.0.1"),
        ("PATH", "/bin"),
    ])
    .unwrap();
    let warnings: Vec<_> = config.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "environment variable RATELIMIT_MAX_TRACKED_KEY sets nothing; \
             did you mean RATELIMIT_MAX_TRACKED_KEYS?",
            "environment variable RATELIMIT_SERVICE_HOST sets nothing",
        ]
    );
}

#[test]
fn a_variable_of_the_server_that_is_nearly_one_of_ours_warns_and_no_other_does() {
    let config = from_environment(&[
        ("SERVER_TRUSTED_PROXY", "10.0.0.0/8"),
        ("SERVER_NAME", "www"),
        ("SERVER_PORT", "80"),
    ])
    .unwrap();
    let warnings: Vec<_> = config.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["environment variable SERVER_TRUSTED_PROXY sets nothing; \
          did you mean SERVER_TRUSTED_PROXIES?"]
    );
}

#[test]
fn what_belongs_to_the_rest_of_the_program_is_not_looked_at() {
    let text = r#"
        enabled = "yes"
        rating = 5
        sever = "x"
        [server]
        port = 8080
        url = "https://host"
        name = "a"
        hosts = [{ name = "a" }]
        [database]
        url = "postgres://user:password@host"
        "#;
    assert!(from_toml(text).is_ok());
    assert!(from_toml("server = 'nginx'").is_ok());
    let twice = serde_json::from_str(r#"{"port": 1, "port": 2}"#).unwrap();
    assert!(Config::<Class>::builder().file(twice).build().is_ok());
}

#[test]
fn a_network_of_mapped_addresses_is_one_of_ipv4_as_far_as_it_is_one() {
    let config =
        from_toml("server.trusted_proxies = ['::ffff:10.1.2.3', '::ffff:0:0/96', '::/90']");
    let networks = ["10.1.2.3/32", "0.0.0.0/0", "::/90"].map(|network| network.parse().unwrap());
    assert_eq!(config.unwrap().trusted_proxies(), networks);
}

#[test]
fn the_switch_is_off_for_all_or_for_one_class() {
    let off = from_toml("ratelimit.enabled = false").unwrap();
    assert!(!off.enabled());
    let one = from_toml("ratelimit.rl.read.enabled = false").unwrap();
    assert!(one.enabled() && !one.class(Class::Read).enabled());
    assert!(one.class(Class::Export).enabled());
}
