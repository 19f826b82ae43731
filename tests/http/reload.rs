//! Another configuration for a gate that is in use.

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use tollgate::config::{Anonymous, ConfigBuilder, EdgeKey, FailureMode, Mode};
use tollgate::tower::LimitLayer;
use tollgate::{Caller, Class, Config, rate_limited};

use super::budgets::{App, Ask, exempt, gate, of_a_class, of_the_host};

fn config(change: impl FnOnce(ConfigBuilder<Class>) -> ConfigBuilder<Class>) -> Config {
    change(Config::builder()).build().expect("settings in range")
}

/// The edge rule of this name, for everybody together.
fn rule(
    name: &'static str,
    burst: u64,
) -> impl FnOnce(ConfigBuilder<Class>) -> ConfigBuilder<Class> {
    move |config| {
        config.edge(|rule| rule.name(name).keys([EdgeKey::Global]).per_minute(1).burst(burst))
    }
}

/// Changes the edge rules while it has passed them.
#[rate_limited(exempt = "it is the one that changes the limits")]
async fn without_rules(State(app): State<App>) {
    app.gate.reload(&Config::default()).expect("defaults are in range");
}

fn router(app: &App) -> Router {
    Router::new()
        .route("/exempt", get(exempt))
        .route("/class", get(of_a_class))
        .route("/host", get(of_the_host))
        .route("/without-rules", get(without_rules))
        .layer(LimitLayer::edge(app.gate.clone()))
        .with_state(app.clone())
}

fn app(config: &Config) -> (App, Router) {
    let app = App { gate: gate(config) };
    let router = router(&app);
    (app, router)
}

#[tokio::test]
async fn edge_rules_come_and_go_and_one_of_the_same_name_keeps_what_was_spent() {
    let (app, router) = app(&config(rule("all", 3)));
    let ask = || Ask::get("/exempt").answer(&router);
    assert_eq!(ask().await, r#"200 "all";r=2;t=60"#);

    app.gate.reload(&config(|config| rule("more", 9)(rule("all", 2)(config)))).unwrap();
    // One of them is spent under the new capacity, too.
    assert_eq!(ask().await, r#"200 "all";r=0;t=120, "more";r=8;t=60"#);
    assert_eq!(ask().await, r#"429 "all";r=0;t=120, "more";r=8;t=60"#);

    app.gate.reload(&Config::default()).unwrap();
    assert_eq!(ask().await, "200 -");
    app.gate.reload(&config(rule("all", 2))).unwrap();
    assert_eq!(ask().await, r#"429 "all";r=0;t=120"#);
}

#[tokio::test]
async fn default_budgets_come_and_go() {
    let (app, router) = app(&Config::default());
    let ask = || Ask::get("/host").by(Caller::principal("alice").tenant("acme")).answer(&router);
    assert_eq!(ask().await, "200 -");
    app.gate.reload(&config(|config| config.default_ip(1, 2))).unwrap();
    assert_eq!(ask().await, r#"200 "default.ip";r=1;t=60"#);
    app.gate.reload(&config(|config| config.default_tenant(1, 5))).unwrap();
    assert_eq!(ask().await, r#"200 "default.tenant";r=4;t=60"#);
    app.gate.reload(&config(|config| config.default_ip(1, 2))).unwrap();
    assert_eq!(ask().await, r#"200 "default.ip";r=0;t=120"#);
}

#[tokio::test]
async fn whose_addresses_count_is_as_the_new_configuration_says() {
    let (app, router) = app(&config(|config| config.default_ip(1, 9)));
    let ask = |forwarded| {
        let ask = Ask::get("/host").header("x-forwarded-for", forwarded);
        ask.with_peer("198.51.100.1").answer(&router)
    };
    assert_eq!(ask("2001:db8::1").await, r#"200 "default.ip";r=8;t=60"#);
    assert_eq!(ask("2001:db8::2").await, r#"200 "default.ip";r=7;t=120"#);

    let proxy = "198.51.100.0/24".parse().unwrap();
    let trusting = |prefix| {
        config(|config| config.default_ip(1, 9).trusted_proxies([proxy]).ipv6_prefix(prefix))
    };
    app.gate.reload(&trusting(64)).unwrap();
    assert_eq!(ask("2001:db8::1").await, r#"200 "default.ip";r=8;t=60"#);
    assert_eq!(ask("2001:db8::2").await, r#"200 "default.ip";r=7;t=120"#);
    app.gate.reload(&trusting(128)).unwrap();
    assert_eq!(ask("2001:db8::1").await, r#"200 "default.ip";r=8;t=60"#);
    assert_eq!(ask("2001:db8::2").await, r#"200 "default.ip";r=8;t=60"#);
}

#[tokio::test]
async fn what_anonymous_callers_are_is_as_the_new_configuration_says() {
    let (app, router) = app(&Config::default());
    let ask = || async { Ask::get("/class").send(&router).await.status() };
    assert_eq!(ask().await, 200);
    let denying =
        config(|config| config.class(Class::Export, |class| class.anonymous(Anonymous::Deny)));
    app.gate.reload(&denying).unwrap();
    assert_eq!(ask().await, 401);
    app.gate.reload(&Config::default()).unwrap();
    assert_eq!(ask().await, 200);
    assert_eq!(ask().await, 429);
}

#[tokio::test]
async fn a_configuration_that_cannot_be_used_changes_nothing() {
    let (app, router) = app(&config(rule("all", 9)));
    let clustered = config(|config| {
        let config = rule("more", 1)(rule("all", 1)(config));
        config
            .class(Class::Export, |class| class.burst(1).anonymous(Anonymous::Deny))
            .class(Class::Read, |class| class.mode(Mode::Clustered).failure_mode(FailureMode::Open))
            .redis("redis://127.0.0.1", "chat", Duration::from_millis(50))
            .key_secret("0123456789abcdef0123456789abcdef")
            .default_ip(1, 1)
    });
    let error = app.gate.reload(&clustered).unwrap_err();
    assert!(error.to_string().contains("the mode of rl.read is clustered"), "{error}");
    assert_eq!(Ask::get("/host").answer(&router).await, r#"200 "all";r=8;t=60"#);
    let by_class = Ask::get("/class").answer(&router).await;
    assert_eq!(by_class, r#"200 "all";r=7;t=120, "rl.export";r=1;t=10"#);
}

#[tokio::test]
async fn a_request_that_is_under_way_ends_with_the_rules_it_began_with() {
    let (_, router) = app(&config(rule("all", 9)));
    assert_eq!(Ask::get("/without-rules").answer(&router).await, r#"200 "all";r=8;t=60"#);
    assert_eq!(Ask::get("/exempt").answer(&router).await, "200 -");
}
