//! The host's default budgets: in our own router, which knows what declares, and as a layer, which does not.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router as Plain;
use axum::body::Body;
use axum::http::{Method, Request, Response};
use axum::middleware::{Next, from_fn};
use axum::routing;
use tollgate::axum::routing::{MethodRouter, Router, any, get, post};
use tollgate::http::Gate;
use tollgate::tower::LimitLayer;
use tollgate::{Caller, Config, rate_limited};
use tower::service_fn;

use super::budgets::{App, Ask, exempt, gate, of_a_class, of_its_own, of_the_host, plain};

/// 2 for each address, 3 for each tenant, with nothing coming back.
fn defaults() -> Gate {
    let config = Config::builder().default_ip(1, 2).default_tenant(1, 3).build();
    gate(&config.expect("limits in range"))
}

/// Counts how often it is reached.
#[derive(Clone, Default)]
struct Reached(Arc<AtomicUsize>);

impl Reached {
    fn handler(&self) -> routing::MethodRouter<App> {
        let Self(count) = self.clone();
        routing::any(move || async move {
            count.fetch_add(1, Ordering::Relaxed);
        })
    }

    fn times(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Routes of another library at `/plain` and `/other`, and declared ones, in our router.
fn routes() -> Router<App> {
    let plain = Plain::new()
        .route("/plain", routing::get(plain).post(plain))
        .route("/other", routing::any(plain));
    Router::unchecked(plain)
        .route("/class", get(of_a_class))
        .route("/own", get(of_its_own))
        .route("/host", get(of_the_host))
        .route("/exempt", get(exempt))
}

fn with_defaults(routes: Router<App>) -> Plain {
    let gate = defaults();
    routes.default_budgets(gate.clone()).with_state(App { gate }).into_axum()
}

/// The same routes by the functions of axum, under the layer.
fn under_the_layer(routes: Plain<App>) -> Plain {
    let gate = defaults();
    routes.with_state(App { gate: gate.clone() }).layer(LimitLayer::defaults(gate))
}

async fn use_up(router: &Plain) {
    for _ in 0..2 {
        assert_eq!(Ask::get("/plain").send(router).await.status(), 200);
    }
}

const REFUSED: &str = r#"429 "default.ip";r=0;t=120"#;

#[tokio::test]
async fn undeclared_handlers_share_the_defaults_of_their_host() {
    for router in [with_defaults(routes()), under_the_layer(routes().into_axum())] {
        assert_eq!(Ask::get("/plain").answer(&router).await, r#"200 "default.ip";r=1;t=60"#);
        assert_eq!(Ask::get("/other").answer(&router).await, r#"200 "default.ip";r=0;t=120"#);
        for path in ["/plain", "/other", "/missing"] {
            assert_eq!(Ask::get(path).answer(&router).await, REFUSED);
        }
        let elsewhere = Ask::get("/plain").with_peer("192.0.2.8");
        assert_eq!(elsewhere.answer(&router).await, r#"200 "default.ip";r=1;t=60"#);
    }
}

#[tokio::test]
async fn the_first_request_to_a_route_is_charged_before_its_handler_and_refused_without_it() {
    let layer: fn(Reached) -> Plain = |reached| {
        let routes = Plain::new().route("/plain", routing::get(plain));
        under_the_layer(routes.route("/first", reached.handler()))
    };
    let router: fn(Reached) -> Plain = |reached| {
        let theirs = Plain::new().route("/first", reached.handler());
        with_defaults(routes().merge(Router::unchecked(theirs)))
    };
    for make in [layer, router] {
        for method in [Method::POST, Method::GET, Method::DELETE] {
            let reached = Reached::default();
            let router = make(reached.clone());
            let first = || Ask::get("/first").method(method.clone());
            assert_eq!(first().answer(&router).await, r#"200 "default.ip";r=1;t=60"#);
            assert_eq!(reached.times(), 1);

            let reached = Reached::default();
            let router = make(reached.clone());
            use_up(&router).await;
            assert_eq!(first().answer(&router).await, REFUSED);
            assert_eq!(reached.times(), 0, "{method}");
        }
    }
}

#[tokio::test]
async fn declared_handlers_are_not_refused_by_the_defaults() {
    let router = with_defaults(routes());
    use_up(&router).await;
    for _ in 0..2 {
        assert_eq!(Ask::get("/exempt").answer(&router).await, "200 -");
    }
    assert_eq!(Ask::get("/class").answer(&router).await, r#"200 "rl.export";r=1;t=10"#);
    assert_eq!(Ask::get("/own").answer(&router).await, r#"200 "of_its_own";r=0;t=10"#);
    assert_eq!(Ask::get("/own").answer(&router).await, r#"429 "of_its_own";r=0;t=10"#);
    assert_eq!(Ask::get("/plain").answer(&router).await, REFUSED);
    assert_eq!(Ask::get("/host").answer(&router).await, REFUSED);
}

#[tokio::test]
async fn declared_handlers_take_nothing_from_the_defaults() {
    for router in [with_defaults(routes()), under_the_layer(routes().into_axum())] {
        for path in ["/exempt", "/own", "/class", "/exempt", "/class", "/own"] {
            Ask::get(path).send(&router).await;
        }
        assert_eq!(Ask::get("/plain").answer(&router).await, r#"200 "default.ip";r=1;t=60"#);
    }
}

#[tokio::test]
async fn a_handler_can_ask_for_the_defaults_itself_and_is_charged_once() {
    let gate = defaults();
    let alone = routes().with_state(App { gate }).into_axum();
    assert_eq!(Ask::get("/plain").answer(&alone).await, "200 -");
    // Brought in unchecked, it is one of those that the router does not know.
    let unknown = Router::unchecked(routes().into_axum());
    let layer = under_the_layer(routes().into_axum());
    for router in [alone, with_defaults(routes()), with_defaults(unknown), layer] {
        assert_eq!(Ask::get("/host").answer(&router).await, r#"200 "default.ip";r=1;t=60"#);
        assert_eq!(Ask::get("/host").answer(&router).await, r#"200 "default.ip";r=0;t=120"#);
        assert_eq!(Ask::get("/host").answer(&router).await, REFUSED);
    }
}

#[tokio::test]
async fn nested_merged_and_chained_declarations_are_known() {
    let nested = Router::new()
        .route("/class", get(of_a_class).fallback(exempt))
        .nest("/deeper", Router::new().route("/any", any(exempt)));
    let mixed = MethodRouter::unchecked(routing::get(plain)).post(exempt);
    let merged = Router::new().route("/merged", post(exempt)).route("/mixed", mixed);
    let router = with_defaults(routes().nest("/v1/{id}", nested).merge(merged));
    use_up(&router).await;
    let asked = |method, path| Ask::get(path).method(method).answer(&router);
    assert_eq!(asked(Method::GET, "/v1/7/class").await, r#"200 "rl.export";r=1;t=10"#);
    assert_eq!(asked(Method::PUT, "/v1/7/class").await, "200 -");
    assert_eq!(asked(Method::PATCH, "/v1/7/deeper/any").await, "200 -");
    assert_eq!(asked(Method::POST, "/merged").await, "200 -");
    assert_eq!(asked(Method::POST, "/mixed").await, "200 -");
    // Next to them are those that nobody declared.
    assert_eq!(asked(Method::GET, "/mixed").await, REFUSED);
    assert_eq!(asked(Method::GET, "/merged").await, REFUSED);
    assert_eq!(asked(Method::GET, "/v1/7/missing").await, REFUSED);
}

#[tokio::test]
async fn declared_fallbacks_are_known() {
    let nested = Router::new().route("/item", get(exempt)).fallback(exempt);
    let router = routes().nest("/nested", nested).fallback(of_a_class);
    let router = with_defaults(router.method_not_allowed_fallback(exempt));
    use_up(&router).await;
    assert_eq!(Ask::get("/missing").answer(&router).await, r#"200 "rl.export";r=1;t=10"#);
    assert_eq!(Ask::get("/nested/missing").answer(&router).await, "200 -");
    let delete = |path| Ask::get(path).method(Method::DELETE).answer(&router);
    assert_eq!(delete("/class").await, "200 -");
    assert_eq!(delete("/nested/item").await, "200 -");
}

#[tokio::test]
async fn what_answers_that_there_is_nothing_is_charged_like_an_undeclared_handler() {
    let asks = || [Ask::get("/missing"), Ask::get("/class").method(Method::DELETE)];
    for router in [with_defaults(routes()), under_the_layer(routes().into_axum())] {
        let [missing, other_method] = asks();
        assert_eq!(missing.answer(&router).await, r#"404 "default.ip";r=1;t=60"#);
        assert_eq!(other_method.answer(&router).await, r#"405 "default.ip";r=0;t=120"#);
        for ask in asks() {
            assert_eq!(ask.answer(&router).await, REFUSED);
        }
    }
}

#[tokio::test]
async fn services_are_charged_before_they_are_called() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let service = service_fn(move |_: Request<Body>| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok::<_, Infallible>(Response::new(Body::empty())) }
    });
    let router = with_defaults(
        Router::new()
            .route_service("/service", service.clone())
            .nest_service("/nested", service.clone())
            .fallback_service(service),
    );
    assert_eq!(Ask::get("/service").answer(&router).await, r#"200 "default.ip";r=1;t=60"#);
    assert_eq!(Ask::get("/nested/x").answer(&router).await, r#"200 "default.ip";r=0;t=120"#);
    for path in ["/service", "/nested", "/nested/x", "/elsewhere"] {
        assert_eq!(Ask::get(path).answer(&router).await, REFUSED);
    }
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_declared_handler_that_is_not_known_gives_the_defaults_back_but_needs_them_to_be_left() {
    let plain = || Plain::new().route("/plain", routing::get(plain)).fallback(of_a_class);
    let unchecked = with_defaults(Router::unchecked(plain()));
    for router in [unchecked, under_the_layer(plain())] {
        assert_eq!(Ask::get("/missing").answer(&router).await, r#"200 "rl.export";r=1;t=10"#);
        assert_eq!(Ask::get("/missing").answer(&router).await, r#"200 "rl.export";r=0;t=20"#);
        assert_eq!(Ask::get("/missing").answer(&router).await, r#"429 "rl.export";r=0;t=20"#);
        use_up(&router).await;
        assert_eq!(Ask::get("/missing").answer(&router).await, REFUSED);
    }
}

#[tokio::test]
async fn a_router_that_is_a_service_of_another_keeps_to_its_own_declarations() {
    let gate = defaults();
    let state = App { gate: gate.clone() };
    let inner = Router::new().route("/api/class", get(of_a_class)).with_state(state);
    let outer = Router::new().route_service("/api/{*rest}", inner.into_axum().into_service());
    let router = outer.default_budgets(gate).into_axum();
    assert_eq!(Ask::get("/api/class").answer(&router).await, r#"200 "rl.export";r=1;t=10"#);
    assert_eq!(Ask::get("/api/missing").answer(&router).await, r#"404 "default.ip";r=1;t=60"#);
    assert_eq!(Ask::get("/api/class").answer(&router).await, r#"200 "rl.export";r=0;t=20"#);
    assert_eq!(Ask::get("/api/missing").answer(&router).await, r#"404 "default.ip";r=0;t=120"#);
}

#[tokio::test]
async fn an_exempt_handler_that_passes_its_request_on_stays_exempt() {
    #[rate_limited(exempt = "what it asks limits by itself")]
    async fn proxy(request: Request<Body>) -> Response<Body> {
        let behind: Router = Router::new();
        Ask::from(request).send(&behind.into_axum()).await
    }
    let router = with_defaults(routes().route("/proxy", get(proxy)));
    for _ in 0..3 {
        assert_eq!(Ask::get("/proxy").answer(&router).await, "404 -");
    }
}

#[tokio::test]
async fn routes_that_are_added_afterwards_are_not_concerned() {
    let gate = defaults();
    let late = Plain::new().route("/late", routing::get(plain));
    let router = routes().default_budgets(gate.clone()).merge(Router::unchecked(late));
    let router = router.with_state(App { gate }).into_axum();
    assert_eq!(Ask::get("/late").answer(&router).await, "200 -");
    assert_eq!(Ask::get("/plain").answer(&router).await, r#"200 "default.ip";r=1;t=60"#);
}

#[tokio::test]
async fn the_caller_is_whom_a_layer_inside_has_authenticated() {
    async fn authenticate(mut request: Request<Body>, next: Next) -> Response<Body> {
        request.extensions_mut().insert(Caller::principal("alice").tenant("acme"));
        next.run(request).await
    }
    let router = with_defaults(routes().layer(from_fn(authenticate)));
    let answer = Ask::get("/plain").answer(&router).await;
    assert_eq!(answer, r#"200 "default.tenant";r=2;t=60, "default.ip";r=1;t=60"#);
}

#[tokio::test]
async fn a_preflight_passes_the_defaults_of_the_router_freely() {
    let router = with_defaults(routes());
    use_up(&router).await;
    let preflight = Ask::get("/plain")
        .method(Method::OPTIONS)
        .header("origin", "http://localhost:3000")
        .header("access-control-request-method", "POST");
    assert_eq!(preflight.answer(&router).await, "405 -");
}

#[tokio::test]
async fn with_a_tenant_both_defaults_apply_and_a_refusal_takes_from_neither() {
    let router = with_defaults(routes());
    let of_acme =
        |peer| Ask::get("/plain").by(Caller::principal("alice").tenant("acme")).with_peer(peer);
    let first = of_acme("192.0.2.1").answer(&router).await;
    assert_eq!(first, r#"200 "default.tenant";r=2;t=60, "default.ip";r=1;t=60"#);
    let second = of_acme("192.0.2.1").answer(&router).await;
    assert_eq!(second, r#"200 "default.tenant";r=1;t=120, "default.ip";r=0;t=120"#);
    // The address refuses, so the tenant keeps its token.
    let third = of_acme("192.0.2.1").answer(&router).await;
    assert_eq!(third, r#"429 "default.tenant";r=1;t=120, "default.ip";r=0;t=120"#);
    let elsewhere = of_acme("192.0.2.2").answer(&router).await;
    assert_eq!(elsewhere, r#"200 "default.tenant";r=0;t=180, "default.ip";r=1;t=60"#);
    // The tenant refuses, so the address keeps its token.
    let fifth = of_acme("192.0.2.2").answer(&router).await;
    assert_eq!(fifth, r#"429 "default.tenant";r=0;t=180, "default.ip";r=1;t=60"#);
}
