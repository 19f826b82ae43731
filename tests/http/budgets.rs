//! Limits without a class on a router: default budgets, budgets of routes, edge rules.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, FromRef};
use axum::http::{HeaderName, HeaderValue, Method, Request, Response};
use axum::routing::{get, post};
use tollgate::axum::routing::{self, Router as Routes};
use tollgate::catalogue::KeyKind;
use tollgate::config::{EdgeKey, MissingHeader};
use tollgate::http::Gate;
use tollgate::tower::LimitLayer;
use tollgate::{Caller, Class, Config, Limits, RouteBudget, rate_limited};
use tower::ServiceExt as _;

use super::support::builder_with;

#[derive(Clone, Debug, FromRef)]
pub(super) struct App {
    pub(super) gate: Gate,
}

pub(super) async fn plain() {}

#[rate_limited(Class::Export)]
pub(super) async fn of_a_class() {}

#[rate_limited(per_minute = 6, burst = 1, key = KeyKind::ClientIp)]
pub(super) async fn of_its_own() {}

#[rate_limited(per_minute = 6, burst = 1, key = KeyKind::ClientIp, name = "of_its_own")]
async fn of_the_same_name() {}

macro_rules! budgets {
    ($($name:ident $burst:literal)*) => { $(
        #[rate_limited(per_minute = 6, burst = $burst, key = KeyKind::ClientIp)]
        async fn $name() {}
    )* };
}

// One call of a macro is one place in the source.
budgets!(narrow 1 wide 3 r#type 1);

#[rate_limited(default)]
pub(super) async fn of_the_host() {}

#[rate_limited(exempt = "health checks")]
pub(super) async fn exempt() {}

pub(super) fn gate(config: &Config) -> Gate {
    builder_with(config, &Arc::default()).build().expect("the budgets fit")
}

fn routes() -> Routes<App> {
    let undeclared = Router::new()
        .route("/plain", get(plain).post(plain))
        .route("/other", get(plain).post(plain));
    Routes::unchecked(undeclared)
        .route("/class", routing::get(of_a_class))
        .route("/own", routing::get(of_its_own))
        .route("/same-name", routing::get(of_the_same_name))
        .route("/narrow", routing::get(narrow))
        .route("/wide", routing::get(wide))
        .route("/type", routing::get(r#type))
        .route("/host", routing::get(of_the_host))
        .route("/exempt", routing::get(exempt))
}

fn router(gate: &Gate) -> Router {
    routes().with_state(App { gate: gate.clone() }).into_axum()
}

/// With default budgets, and inside of the edge rules.
fn behind_the_edge(gate: &Gate) -> Router {
    let routes = routes().default_budgets(gate.clone()).layer(LimitLayer::edge(gate.clone()));
    routes.with_state(App { gate: gate.clone() }).into_axum()
}

/// A request that can be changed before it is sent.
pub(super) struct Ask(Request<Body>);

impl From<Request<Body>> for Ask {
    fn from(request: Request<Body>) -> Self {
        Self(request)
    }
}

impl Ask {
    pub(super) fn get(path: &str) -> Self {
        let mut request = Request::new(Body::empty());
        *request.uri_mut() = path.parse().expect("a path");
        Self(request).with_peer("192.0.2.7")
    }

    pub(super) fn with_peer(mut self, peer: &str) -> Self {
        let address = SocketAddr::new(peer.parse().expect("an address"), 4000);
        self.0.extensions_mut().insert(ConnectInfo(address));
        self
    }

    pub(super) fn by(mut self, caller: Caller) -> Self {
        self.0.extensions_mut().insert(caller);
        self
    }

    pub(super) fn method(mut self, method: Method) -> Self {
        *self.0.method_mut() = method;
        self
    }

    pub(super) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        let name = HeaderName::from_static(name);
        self.0.headers_mut().append(name, HeaderValue::from_static(value));
        self
    }

    pub(super) async fn send(self, router: &Router) -> Response<Body> {
        router.clone().oneshot(self.0).await.expect("a router answers")
    }

    /// Status and state, as in `200 "rl.read";r=119;t=1`.
    pub(super) async fn answer(self, router: &Router) -> String {
        let response = self.send(router).await;
        let mut lines = response.headers().get_all("ratelimit").iter();
        let state = lines.next().map_or("-", |line| line.to_str().expect("fields are text"));
        assert_eq!(lines.next(), None, "the fields are there once");
        format!("{} {state}", response.status().as_u16())
    }
}

#[tokio::test]
async fn where_nothing_applies_requests_pass_and_no_bucket_is_touched() {
    let gate = gate(&Config::default());
    let router = behind_the_edge(&gate);
    for path in ["/plain", "/host", "/exempt", "/missing"] {
        let answer = Ask::get(path).answer(&router).await;
        assert!(answer.ends_with(" -"), "{path}: {answer}");
    }
    assert_eq!(gate.limiter().tracked_keys(), 0);
}

#[tokio::test]
async fn budgets_of_one_name_at_two_handlers_are_two() {
    let router = router(&gate(&Config::default()));
    assert_eq!(Ask::get("/own").answer(&router).await, r#"200 "of_its_own";r=0;t=10"#);
    assert_eq!(Ask::get("/same-name").answer(&router).await, r#"200 "of_its_own";r=0;t=10"#);
}

#[tokio::test]
async fn budgets_that_one_macro_writes_are_as_many_as_their_handlers() {
    let router = router(&gate(&Config::default()));
    assert_eq!(Ask::get("/narrow").answer(&router).await, r#"200 "narrow";r=0;t=10"#);
    assert_eq!(Ask::get("/wide").answer(&router).await, r#"200 "wide";r=2;t=10"#);
}

#[tokio::test]
async fn the_budget_of_a_raw_name_is_called_by_the_plain_one() {
    let router = router(&gate(&Config::default()));
    assert_eq!(Ask::get("/type").answer(&router).await, r#"200 "type";r=0;t=10"#);
}

#[tokio::test]
async fn switching_the_limiter_off_switches_budgets_off() {
    let config = Config::builder()
        .enabled(false)
        .default_ip(1, 1)
        .edge(|rule| rule.name("all").keys([EdgeKey::Global]).per_minute(1).burst(1))
        .build();
    let gate = gate(&config.expect("limits in range"));
    let router = behind_the_edge(&gate);
    for path in ["/plain", "/own", "/class", "/host"].into_iter().cycle().take(12) {
        assert_eq!(Ask::get(path).answer(&router).await, "200 -");
    }
}

/// One rule for everybody, one by address and header.
fn at_the_edge(missing: MissingHeader) -> (Gate, Router) {
    let config = Config::builder()
        .edge(|rule| rule.name("all").keys([EdgeKey::Global]).per_minute(1).burst(5))
        .edge(|rule| {
            rule.name("by_key")
                .keys([EdgeKey::ClientIp, EdgeKey::Header])
                .header("x-api-key")
                .missing(missing)
                .per_minute(1)
                .burst(2)
        })
        .build();
    let gate = gate(&config.expect("limits in range"));
    let router = router(&gate).layer(LimitLayer::edge(gate.clone()));
    (gate, router)
}

#[tokio::test]
async fn edge_rules_apply_together_and_a_refusal_takes_from_none() {
    let (_, router) = at_the_edge(MissingHeader::Shared);
    let keyed = |key| Ask::get("/exempt").header("x-api-key", key);
    let first = keyed("a").answer(&router).await;
    assert_eq!(first, r#"200 "all";r=4;t=60, "by_key";r=1;t=60"#);
    keyed("a").send(&router).await;
    for _ in 0..3 {
        let refused = keyed("a").answer(&router).await;
        assert_eq!(refused, r#"429 "all";r=3;t=120, "by_key";r=0;t=120"#);
    }
    let other_key = keyed("b").answer(&router).await;
    assert_eq!(other_key, r#"200 "all";r=2;t=180, "by_key";r=1;t=60"#);
    let other_address = keyed("a").with_peer("192.0.2.8").answer(&router).await;
    assert_eq!(other_address, r#"200 "all";r=1;t=240, "by_key";r=1;t=60"#);
}

#[tokio::test]
async fn edge_rules_meet_requests_that_match_no_route() {
    let (_, router) = at_the_edge(MissingHeader::Bypass);
    assert_eq!(Ask::get("/missing").answer(&router).await, r#"404 "all";r=4;t=60"#);
}

#[tokio::test]
async fn a_missing_header_shares_a_bucket_or_is_let_pass_and_so_does_a_repeated_one() {
    for shape in [&[][..], &["a", "b"]] {
        let ask =
            || shape.iter().fold(Ask::get("/exempt"), |ask, key| ask.header("x-api-key", key));
        let (_, shared) = at_the_edge(MissingHeader::Shared);
        assert_eq!(ask().answer(&shared).await, r#"200 "all";r=4;t=60, "by_key";r=1;t=60"#);
        let (_, bypass) = at_the_edge(MissingHeader::Bypass);
        assert_eq!(ask().answer(&bypass).await, r#"200 "all";r=4;t=60"#);
    }
}

#[tokio::test]
async fn the_fields_of_edge_and_route_are_one_pair() {
    let (_, router) = at_the_edge(MissingHeader::Bypass);
    let response = Ask::get("/class").send(&router).await;
    let value = |name| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(value("ratelimit"), r#""all";r=4;t=60, "rl.export";r=1;t=10"#);
    assert_eq!(value("ratelimit-policy"), r#""all";q=1;w=60, "rl.export";q=6;w=60"#);
}

#[tokio::test]
async fn what_the_edge_took_is_given_back_when_the_route_refuses() {
    let (_, router) = at_the_edge(MissingHeader::Bypass);
    for _ in 0..2 {
        Ask::get("/class").send(&router).await;
    }
    for _ in 0..4 {
        assert_eq!(Ask::get("/class").answer(&router).await, r#"429 "rl.export";r=0;t=20"#);
    }
    assert_eq!(Ask::get("/exempt").answer(&router).await, r#"200 "all";r=2;t=180"#);
}

#[tokio::test]
async fn what_the_edge_took_is_given_back_when_another_layer_refuses() {
    let config = Config::builder()
        .default_ip(1, 1)
        .edge(|rule| rule.name("all").keys([EdgeKey::Global]).per_minute(1).burst(5))
        .build();
    let gate = gate(&config.expect("limits in range"));
    let router = behind_the_edge(&gate);
    for _ in 0..4 {
        Ask::get("/plain").send(&router).await;
    }
    assert_eq!(Ask::get("/exempt").answer(&router).await, r#"200 "all";r=3;t=120"#);
}

#[tokio::test]
async fn what_a_watching_class_did_not_take_is_not_given_back() {
    let config = Config::builder().class(Class::Export, |class| class.shadow(true)).build();
    let gate = gate(&config.expect("a class may watch"));
    let budget = RouteBudget::new("three", Limits::per_minute(1, 3).unwrap(), KeyKind::ClientIp);
    let router = Router::new()
        .route("/", get(plain))
        .layer(LimitLayer::budget(gate.clone(), budget))
        .layer(LimitLayer::class(gate.clone(), Class::Export).unwrap());
    let alice = Caller::principal("alice");
    for status in [200, 200, 200, 429, 429] {
        let response = Ask::get("/").by(alice.clone()).send(&router).await;
        assert_eq!(response.status(), status);
    }
    // Two tokens went with the first two requests; the class only watched the others.
    let bucket = alice.subject(KeyKind::Principal).expect("she is a principal");
    let left = gate.limiter().peek(Class::Export, bucket).await.expect("the limiter is open");
    assert_eq!(left.remaining(), Some(0));
}

#[tokio::test]
async fn a_reload_changes_budgets_while_they_are_in_use() {
    let with = |burst| {
        Config::builder()
            .default_ip(60, burst)
            .edge(|rule| rule.name("all").keys([EdgeKey::Global]).per_minute(60).burst(burst + 2))
    };
    let gate = gate(&with(4).build().expect("limits in range"));
    let router = behind_the_edge(&gate);
    for _ in 0..3 {
        Ask::get("/plain").send(&router).await;
    }
    let reload = |config: Config| gate.limiter().reload(&config).expect("it can go on");
    // What was spent stays spent, at most as much as the new capacity.
    reload(with(2).build().expect("limits in range"));
    let refused = Ask::get("/plain").answer(&router).await;
    assert_eq!(refused, r#"429 "default.ip";r=0;t=2"#);
    assert_eq!(Ask::get("/exempt").answer(&router).await, r#"200 "all";r=0;t=4"#);

    reload(with(2).enabled(false).build().expect("limits in range"));
    for path in ["/plain", "/own", "/own", "/exempt"] {
        assert_eq!(Ask::get(path).answer(&router).await, "200 -");
    }
    reload(with(2).build().expect("limits in range"));
    assert_eq!(Ask::get("/missing").send(&router).await.status(), 429);
}

#[tokio::test]
async fn whichever_limit_refuses_a_request_it_is_counted_once_with_its_route() {
    let config = Config::builder()
        .default_ip(1, 1)
        .edge(|rule| rule.name("all").keys([EdgeKey::Global]).per_minute(1).burst(5))
        .build();
    let config = config.expect("limits in range");
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let gate = builder_with(&config, &Arc::default())
        .on_exceeded(move |event| {
            seen.lock().unwrap().push(format!("{} {}", event.route, event.key_kind));
        })
        .build()
        .unwrap();
    let undeclared = Router::new().route("/items/{id}", get(plain));
    let router = Routes::unchecked(undeclared)
        .route("/class", routing::get(of_a_class))
        .default_budgets(gate.clone())
        .layer(LimitLayer::edge(gate.clone()))
        .with_state(App { gate })
        .into_axum();
    let taken = || std::mem::take(&mut *events.lock().unwrap());

    for (path, status) in [("/items/1", 200), ("/items/2", 429)] {
        assert_eq!(Ask::get(path).send(&router).await.status(), status);
    }
    assert_eq!(taken(), ["/items/{id} client_ip"]);

    let alice = || Ask::get("/class").by(Caller::principal("alice"));
    for status in [200, 200, 429] {
        assert_eq!(alice().send(&router).await.status(), status);
    }
    assert_eq!(taken(), ["/class principal"]);

    let bob = || Ask::get("/class").by(Caller::principal("bob"));
    for status in [200, 200, 429, 429] {
        assert_eq!(bob().send(&router).await.status(), status);
    }
    // The edge is empty after the first two, and refuses before anything else is asked.
    assert_eq!(taken(), ["/class global", "/class global"]);
}

#[tokio::test]
async fn a_preflight_costs_nothing_and_what_only_looks_like_one_does() {
    let config = Config::builder()
        .default_ip(1, 1)
        .edge(|rule| rule.name("all").keys([EdgeKey::Global]).per_minute(1).burst(1))
        .build();
    let gate = gate(&config.expect("limits in range"));
    let router = behind_the_edge(&gate);
    for _ in 0..5 {
        let preflight = Ask::get("/plain")
            .method(Method::OPTIONS)
            .header("origin", "http://localhost:3000")
            .header("access-control-request-method", "POST");
        assert_eq!(preflight.answer(&router).await, "405 -");
    }
    assert_eq!(gate.limiter().tracked_keys(), 0);
    let no_preflight = Ask::get("/plain").method(Method::OPTIONS).header("origin", "http://a");
    no_preflight.send(&router).await;
    assert_eq!(Ask::get("/plain").send(&router).await.status(), 429);
}

#[tokio::test]
async fn a_layer_limits_everything_behind_it_by_one_budget_or_class() {
    let gate = gate(&Config::default());
    let limits = Limits::per_minute(6, 1).unwrap();
    let budget = RouteBudget::new("uploads", limits, KeyKind::ClientIp);
    let router = Router::new()
        .route("/a", get(plain))
        .route("/b", post(plain))
        .layer(LimitLayer::budget(gate.clone(), budget));
    assert_eq!(Ask::get("/a").answer(&router).await, r#"200 "uploads";r=0;t=10"#);
    let post = Ask::get("/b").method(Method::POST);
    assert_eq!(post.answer(&router).await, r#"429 "uploads";r=0;t=10"#);

    let layer = LimitLayer::class(gate.clone(), Class::Export).unwrap();
    let router = Router::new().route("/a", get(plain)).layer(layer);
    assert_eq!(Ask::get("/a").answer(&router).await, r#"200 "rl.export";r=1;t=10"#);
    let refused = LimitLayer::class(gate, Class::Typing).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`rl.typing` is of the gateway and cannot limit HTTP requests; \
         name one whose surface is `rest` or `any`"
    );
}
