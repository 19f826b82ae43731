//! A file and an environment are settings in range, or faults that show no secret.

use std::time::Duration;

use tollgate::config::{EdgeKey, Faults, Settings};
use tollgate::http::Gate;
use tollgate::{Action, Class, Config, Limiter, Limits};

/// Parts the file from lines of `NAME=value`.
const SEPARATOR: &str = "\n=====\n";

/// Stands in the values of keys that are secret, and nowhere else.
const SECRET: &str = "hunter2";

const DAY: Duration = Duration::from_secs(86_400);

/// Any file with any environment, as they are and with secrets in them.
pub fn holds(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (file, variables) = text.split_once(SEPARATOR).unwrap_or((text, ""));
    let Ok(table) = file.parse::<toml::Table>() else { return };
    let variables: Vec<_> = variables.lines().filter_map(|line| line.split_once('=')).collect();
    if text.contains(SECRET) {
        return;
    }
    match built(&table, &variables) {
        Some(Ok(config)) => is_in_range(&config),
        Some(Err(faults)) => are_told(&faults),
        None => {}
    }
    for (key, variable) in [("key_secret", "KEY_SECRET"), ("redis.url", "REDIS_URL")] {
        // The case itself stands around the secret, so that it has every shape and length.
        let secret = format!("{}{SECRET}{file}", text.len());
        let mut table = table.clone();
        let limiter = table.entry("ratelimit").or_insert_with(|| toml::Table::new().into());
        if let Some(limiter) = limiter.as_table_mut() {
            limiter.insert(key.to_owned(), secret.clone().into());
        }
        let variable = format!("RATELIMIT_{variable}");
        let with_secret = [variables.as_slice(), &[(&variable, &secret)]].concat();
        for variables in [&variables, &with_secret] {
            let built = built(&table, variables);
            assert!(!format!("{built:?}").contains(SECRET), "{built:?}");
            if let Some(Err(faults)) = built {
                assert!(!faults.to_string().contains(SECRET), "{faults}");
            }
        }
    }
}

/// What comes of the settings, or nothing when the file cannot be any.
fn built(table: &toml::Table, variables: &[(&str, &str)]) -> Option<Result<Config, Faults>> {
    let settings: Settings = table.clone().try_into().ok()?;
    assert!(!format!("{settings:?}").contains(SECRET), "{settings:?}");
    Some(Config::builder().file(settings).environment(variables.iter().copied()).build())
}

fn are_told(faults: &Faults) {
    assert!(faults.iter().len() > 0, "a refusal without a reason");
    for fault in faults {
        assert!(!fault.key().is_empty(), "{fault:?}");
        assert!(!fault.to_string().chars().any(char::is_control), "{fault:?}");
    }
}

fn is_in_range(config: &Config) {
    assert!((1..=1 << 32).contains(&config.max_tracked_keys()), "{config:?}");
    assert!((Duration::from_secs(1)..=DAY).contains(&config.sweep_interval()), "{config:?}");
    assert!((8..=128).contains(&config.ipv6_prefix()), "{config:?}");
    let budgets = [config.default_tenant(), config.default_ip()].into_iter().flatten();
    let edge = config.edge().iter().map(tollgate::config::EdgeRule::limits);
    let classes = Class::ALL.iter().map(|class| config.class(*class).limits());
    let policies = config.policies().iter().map(tollgate::config::PolicyConfig::limits);
    for limits in budgets.chain(edge).chain(classes).chain(policies) {
        let again = Limits::new(limits.tokens(), limits.period(), limits.capacity());
        assert_eq!(again.map(|again| again.refilled(limits.refill())), Ok(limits));
    }
    for action in Action::ALL {
        let class = config.class(action.class());
        assert!(
            !class.enabled() || u64::from(action.cost()) <= class.limits().capacity(),
            "{action}"
        );
    }
    for policy in config.policies() {
        assert!((1..=policy.limits().capacity()).contains(&policy.default_cost()), "{policy:?}");
    }
    for rule in config.edge() {
        let keys = rule.keys();
        assert!(
            !keys.is_empty() && (keys.len() == 1 || !keys.contains(&EdgeKey::Global)),
            "{rule:?}"
        );
        assert_eq!(rule.header().is_some(), keys.contains(&EdgeKey::Header), "{rule:?}");
    }
    // What is accepted can be started, where the table is small enough to be made for every case.
    let classes = Class::ALL.iter().filter_map(|class| config.class(*class).max_tracked_keys());
    if classes.chain([config.max_tracked_keys()]).sum::<u64>() <= 1_000 && config.redis().is_none()
    {
        let limiter = Limiter::new(config).expect("settings in range");
        Gate::builder(limiter).build().expect("no custom keys");
    }
}
