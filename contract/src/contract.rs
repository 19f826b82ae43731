//! The contract: each rule once, tested over every host.
//!
//! Time stands still unless a rule moves it, and the numbers are worked out by hand.

use std::sync::Arc;
use std::time::Duration;

use tollgate::clock::ManualClock;
use tollgate::config::{Anonymous, EdgeKey};
use tollgate::http::Gate;
use tollgate::{Class, Config, Limiter};

use crate::host::{Answer, Ask, Calls, Host, Outcome, Route};

/// One host on a clock that stands still.
struct Setup<H> {
    host: H,
    calls: Calls,
    clock: Arc<ManualClock>,
    limiter: Limiter,
}

impl<H: Host> Setup<H> {
    async fn new(config: &Config) -> Self {
        let clock = Arc::<ManualClock>::default();
        let limiter = Limiter::with_clock(config, Arc::clone(&clock)).expect("the buckets fit");
        let gate = Gate::builder(limiter.clone()).build().expect("no class has custom keys");
        let calls = Calls::default();
        let host = H::start(gate, calls.clone()).await;
        Self { host, calls, clock, limiter }
    }

    async fn usual() -> Self {
        Self::new(&Config::default()).await
    }

    async fn send(&self, ask: Ask) -> Answer {
        self.host.send(&ask).await
    }

    /// The answer to a plain request.
    async fn get(&self, route: Route) -> String {
        self.send(Ask::to(route)).await.to_string()
    }
}

/// Everybody together: 60 a minute, burst 3.
fn edge() -> Config {
    let config = Config::builder()
        .edge(|rule| rule.name("everybody").keys([EdgeKey::Global]).per_minute(60).burst(3))
        .build();
    config.expect("limits in range")
}

/// Undeclared routes: 1 a minute, burst 2.
fn defaults() -> Config {
    Config::builder().default_ip(1, 2).build().expect("limits in range")
}

async fn an_admission_says_what_is_left<H: Host>() {
    let setup = Setup::<H>::usual().await;
    // A token comes in ten seconds.
    for left in [r#""rl.export";r=1;t=10"#, r#""rl.export";r=0;t=20"#] {
        assert_eq!(
            setup.get(Route::Export).await,
            format!(r#"Served | "rl.export";q=6;w=60 | {left}"#)
        );
    }
    assert_eq!(setup.calls.so_far(), 2);
}

async fn a_refusal_says_when_to_come_back_and_that_is_enough<H: Host>() {
    let setup = Setup::<H>::usual().await;
    setup.get(Route::Export).await;
    setup.get(Route::Export).await;
    let refusal = setup.send(Ask::to(Route::Export)).await;
    assert_eq!(
        refusal.to_string(),
        r#"QuotaExceeded | "rl.export";q=6;w=60 | "rl.export";r=0;t=20"#
    );
    assert_eq!(refusal.header("retry-after"), "10");
    H::expect_quota_refusal(&refusal, "rl.export", 10);
    setup.clock.advance(Duration::from_secs(9));
    assert_eq!(setup.send(Ask::to(Route::Export)).await.header("retry-after"), "1");
    setup.clock.advance(Duration::from_secs(1));
    assert_eq!(setup.send(Ask::to(Route::Export)).await.result, Outcome::Served);
}

async fn a_refused_request_reaches_no_handler<H: Host>() {
    let setup = Setup::<H>::usual().await;
    for expected in [Outcome::Served, Outcome::Served, Outcome::QuotaExceeded] {
        assert_eq!(setup.send(Ask::to(Route::Export)).await.result, expected);
    }
    assert_eq!(setup.calls.so_far(), 2);
}

async fn an_error_of_a_handler_has_the_fields<H: Host>() {
    let setup = Setup::<H>::usual().await;
    assert_eq!(
        setup.get(Route::Failing).await,
        r#"Failed | "rl.export";q=6;w=60 | "rl.export";r=1;t=10"#
    );
}

async fn an_action_has_the_cost_of_the_catalogue<H: Host>() {
    let setup = Setup::<H>::usual().await;
    // Two tokens of ten, and one comes in three seconds.
    assert_eq!(
        setup.get(Route::Register).await,
        r#"Served | "rl.public_auth";q=20;w=60 | "rl.public_auth";r=8;t=6"#
    );
}

async fn a_budget_of_its_own_is_a_limit_like_any<H: Host>() {
    let setup = Setup::<H>::usual().await;
    assert_eq!(setup.get(Route::Budget).await, r#"Served | "own";q=6;w=60 | "own";r=0;t=10"#);
    let refusal = setup.send(Ask::to(Route::Budget)).await;
    assert_eq!(refusal.to_string(), r#"QuotaExceeded | "own";q=6;w=60 | "own";r=0;t=10"#);
    H::expect_quota_refusal(&refusal, "own", 10);
}

async fn several_limits_are_members_of_one_list<H: Host>() {
    let setup = Setup::<H>::new(&edge()).await;
    assert_eq!(
        setup.get(Route::Export).await,
        r#"Served | "everybody";q=60;w=60, "rl.export";q=6;w=60 | "everybody";r=2;t=1, "rl.export";r=1;t=10"#
    );
}

async fn a_limit_gives_back_what_another_refuses<H: Host>() {
    let setup = Setup::<H>::new(&edge()).await;
    setup.get(Route::Export).await;
    setup.get(Route::Export).await;
    for _ in 0..5 {
        assert_eq!(
            setup.get(Route::Export).await,
            r#"QuotaExceeded | "rl.export";q=6;w=60 | "rl.export";r=0;t=20"#
        );
    }
    // The last of three at the edge is still there.
    assert_eq!(
        setup.get(Route::Exempt).await,
        r#"Served | "everybody";q=60;w=60 | "everybody";r=0;t=3"#
    );
}

async fn the_edge_refuses_before_anything_else_is_asked<H: Host>() {
    let setup = Setup::<H>::new(&edge()).await;
    for _ in 0..3 {
        setup.get(Route::Exempt).await;
    }
    let refusal = setup.send(Ask::to(Route::Export)).await;
    assert_eq!(
        refusal.to_string(),
        r#"QuotaExceeded | "everybody";q=60;w=60 | "everybody";r=0;t=3"#
    );
    H::expect_quota_refusal(&refusal, "everybody", 1);
    assert_eq!(setup.calls.so_far(), 3);
    setup.clock.advance(Duration::from_secs(1));
    let admission = setup.send(Ask::to(Route::Export)).await;
    assert_eq!(
        admission.header("ratelimit"),
        r#""everybody";r=0;t=3, "rl.export";r=1;t=10"#,
        "the class was not charged meanwhile"
    );
}

async fn default_budgets_are_for_what_declares_nothing<H: Host>() {
    let setup = Setup::<H>::new(&defaults()).await;
    assert_eq!(
        setup.get(Route::Export).await,
        r#"Served | "rl.export";q=6;w=60 | "rl.export";r=1;t=10"#
    );
    assert_eq!(setup.get(Route::Exempt).await, "Served");
    for (result, left) in
        [("Served", "r=1;t=60"), ("Served", "r=0;t=120"), ("QuotaExceeded", "r=0;t=120")]
    {
        assert_eq!(
            setup.get(Route::Plain).await,
            format!(r#"{result} | "default.ip";q=1;w=60 | "default.ip";{left}"#)
        );
    }
    assert_eq!(setup.calls.so_far(), 4);
}

async fn nothing_is_limited_where_nothing_applies<H: Host>() {
    let setup = Setup::<H>::usual().await;
    for route in [Route::Exempt, Route::Plain] {
        for _ in 0..200 {
            assert_eq!(setup.get(route).await, "Served");
        }
    }
    assert_eq!(setup.limiter.tracked_keys(), 0);
}

async fn a_limit_that_only_watches_says_nothing<H: Host>() {
    let config = Config::builder().class(Class::Export, |class| class.shadow(true)).build();
    let setup = Setup::<H>::new(&config.expect("a shadow")).await;
    for _ in 0..4 {
        assert_eq!(setup.get(Route::Export).await, "Served");
    }
}

async fn a_limit_that_is_switched_off_says_nothing<H: Host>() {
    let setup =
        Setup::<H>::new(&Config::builder().enabled(false).build().expect("no limits")).await;
    for _ in 0..4 {
        assert_eq!(setup.get(Route::Export).await, "Served");
    }
}

async fn a_preflight_is_free<H: Host>() {
    let setup = Setup::<H>::new(&edge()).await;
    for _ in 0..10 {
        let answer = setup.send(Ask::preflight(Route::Plain)).await;
        assert_eq!(answer.to_string(), "Unhandled");
    }
    assert_eq!(setup.limiter.tracked_keys(), 0);
    assert_eq!(setup.calls.so_far(), 0);
}

async fn a_forged_address_changes_nothing<H: Host>() {
    let setup = Setup::<H>::usual().await;
    for (client, expected) in
        [(1, Outcome::Served), (2, Outcome::Served), (3, Outcome::QuotaExceeded)]
    {
        let ask = Ask::to(Route::Export)
            .header("x-forwarded-for", format!("198.51.100.{client}"))
            .header("forwarded", format!("for=198.51.100.{client}"));
        assert_eq!(setup.send(ask).await.result, expected);
    }
}

async fn a_caller_without_an_identity_can_be_refused<H: Host>() {
    let config =
        Config::builder().class(Class::Export, |class| class.anonymous(Anonymous::Deny)).build();
    let setup = Setup::<H>::new(&config.expect("a policy")).await;
    assert_eq!(setup.get(Route::Export).await, "Unauthenticated");
    assert_eq!(setup.calls.so_far(), 0);
}

async fn a_limit_that_cannot_be_decided_is_unavailable<H: Host>() {
    let setup = Setup::<H>::usual().await;
    setup.limiter.close().await.expect("no guarded call is running");
    assert_eq!(setup.get(Route::Export).await, "Unavailable");
    assert_eq!(setup.calls.so_far(), 0);
}

async fn all_instances_of_a_service_share_one_gate<H: Host>() {
    let limiter = Limiter::with_clock(&Config::default(), Arc::<ManualClock>::default());
    let gate = Gate::builder(limiter.expect("the buckets fit")).build().expect("a gate");
    let mut results = Vec::new();
    for _ in 0..3 {
        let instance = H::start(gate.clone(), Calls::default()).await;
        results.push(instance.send(&Ask::to(Route::Export)).await.result);
    }
    assert_eq!(results, [Outcome::Served, Outcome::Served, Outcome::QuotaExceeded]);
}

/// A module of tests for each host, with every rule in it.
macro_rules! hold {
    ({ $($module:ident: $host:ty),+ $(,)? } $rules:tt) => {
        $( hold! { @rules $module $host, $rules } )+
    };
    (@rules $module:ident $host:ty, { $($rule:ident),+ $(,)? }) => {
        mod $module {
            $(
                #[tokio::test]
                async fn $rule() {
                    crate::contract::$rule::<$host>().await;
                }
            )+
        }
    };
}

hold! {
    {
        actix: crate::hosts::actix::Actix,
        axum: crate::hosts::axum::Axum,
        tonic: crate::hosts::tonic::Tonic,
        tower: crate::hosts::tower::Tower,
    }
    {
        a_budget_of_its_own_is_a_limit_like_any,
        a_caller_without_an_identity_can_be_refused,
        a_forged_address_changes_nothing,
        a_limit_gives_back_what_another_refuses,
        a_limit_that_cannot_be_decided_is_unavailable,
        a_limit_that_is_switched_off_says_nothing,
        a_limit_that_only_watches_says_nothing,
        a_refusal_says_when_to_come_back_and_that_is_enough,
        a_refused_request_reaches_no_handler,
        all_instances_of_a_service_share_one_gate,
        an_action_has_the_cost_of_the_catalogue,
        an_admission_says_what_is_left,
        an_error_of_a_handler_has_the_fields,
        default_budgets_are_for_what_declares_nothing,
        nothing_is_limited_where_nothing_applies,
        several_limits_are_members_of_one_list,
        the_edge_refuses_before_anything_else_is_asked,
    }
}

/// What concerns browsers, none of which speaks gRPC as it is.
mod in_browsers {
    hold! {
        {
            actix: crate::hosts::actix::Actix,
            axum: crate::hosts::axum::Axum,
            tower: crate::hosts::tower::Tower,
        }
        { a_preflight_is_free }
    }
}
