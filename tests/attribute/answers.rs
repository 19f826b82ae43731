//! When the gate is asked, and what is on the answer.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{AppendHeaders, IntoResponse};
use axum::routing::{get, post};
use tollgate::{Action, Class, rate_limited};

use super::{App, limit, one, send, to};

#[rate_limited(Class::Export)]
async fn greet(State(greeting): State<&'static str>, body: String) -> String {
    format!("{greeting} {body}")
}

#[tokio::test]
async fn the_fields_are_on_a_success() {
    let router = Router::new().route("/", get(greet)).with_state(App::new());
    let response = send(&router, to("/")).await;
    assert_eq!(response.status(), StatusCode::OK);
    // Burst 2, one token taken; 6 a minute refill it in 10 seconds.
    assert_eq!(limit(&response), Some("\"rl.export\";r=1;t=10"));
    assert_eq!(one(response.headers(), "ratelimit-policy"), Some("\"rl.export\";q=6;w=60"));
    let body = to_bytes(response.into_body(), 100).await.unwrap();
    assert_eq!(body, "hello body");
}

#[rate_limited(Class::Export)]
async fn fail() -> Result<String, (StatusCode, &'static str)> {
    Err((StatusCode::CONFLICT, "not now"))
}

#[tokio::test]
async fn the_fields_are_on_an_error_of_the_handler() {
    let router = Router::new().route("/", get(fail)).with_state(App::new());
    let response = send(&router, to("/")).await;
    assert_eq!(response.status(), StatusCode::CONFLICT);
    assert_eq!(limit(&response), Some("\"rl.export\";r=1;t=10"));
}

#[rate_limited(Class::Export)]
async fn number(Path(_number): Path<u32>) {}

#[tokio::test]
async fn the_fields_are_on_the_rejection_of_an_extractor() {
    let router = Router::new().route("/{number}", get(number)).with_state(App::new());
    let response = send(&router, to("/none")).await;
    assert_eq!(response.status(), StatusCode::BAD_REQUEST);
    assert_eq!(limit(&response), Some("\"rl.export\";r=1;t=10"));
}

#[rate_limited(Class::Export)]
async fn own_fields() -> impl IntoResponse {
    AppendHeaders([
        ("ratelimit", "\"other\";r=9;t=9"),
        ("ratelimit", "\"another\";r=9;t=9"),
        ("ratelimit-policy", "\"other\";q=9;w=9"),
    ])
}

#[tokio::test]
async fn the_fields_stand_once_whatever_the_handler_wrote() {
    let router = Router::new().route("/", get(own_fields)).with_state(App::new());
    let response = send(&router, to("/")).await;
    let all = "\"rl.export\";r=1;t=10, \"other\";r=9;t=9, \"another\";r=9;t=9";
    assert_eq!(limit(&response), Some(all));
}

static EXTRACTED: AtomicU32 = AtomicU32::new(0);

/// Counts how often it is extracted.
struct Counted;

impl<S: Sync> FromRequestParts<S> for Counted {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, Infallible> {
        EXTRACTED.fetch_add(1, Ordering::Relaxed);
        Ok(Self)
    }
}

#[rate_limited(Class::Export)]
async fn counted(_: Counted) {}

#[tokio::test]
async fn a_refused_request_reaches_no_extractor() {
    let router = Router::new().route("/", get(counted)).with_state(App::new());
    for _ in 0..2 {
        assert_eq!(send(&router, to("/")).await.status(), StatusCode::OK);
    }
    let refused = send(&router, to("/")).await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(limit(&refused), Some("\"rl.export\";r=0;t=20"));
    assert_eq!(one(refused.headers(), "retry-after"), Some("10"));
    assert_eq!(EXTRACTED.load(Ordering::Relaxed), 2);
}

#[rate_limited(Class::Export)]
async fn exported() -> &'static str {
    "report"
}

#[tokio::test]
async fn a_call_asks_for_no_limit() {
    let app = App::new();
    for _ in 0..3 {
        assert_eq!(exported::call().await, "report");
    }
    let router = Router::new().route("/", get(exported)).with_state(app);
    let response = send(&router, to("/")).await;
    assert_eq!(limit(&response), Some("\"rl.export\";r=1;t=10"));
}

#[rate_limited(Action::MessageList)]
async fn list() {}

#[rate_limited(Action::MessageList, cost = 20)]
async fn list_everything() {}

#[rate_limited(Class::Read, cost = 3)]
async fn read_three() {}

#[tokio::test]
async fn an_action_has_its_class_and_a_cost_that_can_be_overridden() {
    let router = Router::new()
        .route("/list", get(list))
        .route("/everything", get(list_everything))
        .route("/three", get(read_three))
        .with_state(App::new());
    // One bucket of 120, which gains 10 a second.
    assert_eq!(limit(&send(&router, to("/list")).await), Some("\"rl.read\";r=119;t=1"));
    assert_eq!(limit(&send(&router, to("/everything")).await), Some("\"rl.read\";r=99;t=3"));
    assert_eq!(limit(&send(&router, to("/three")).await), Some("\"rl.read\";r=96;t=3"));
}

#[rate_limited(exempt = "the load balancer asks every second")]
async fn health() -> &'static str {
    "well"
}

#[tokio::test]
async fn an_exempt_handler_has_no_fields_and_needs_no_gate() {
    let router: Router = Router::new().route("/", get(health));
    let response = send(&router, to("/")).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(limit(&response), None);
}

#[tokio::test]
async fn a_limit_goes_with_the_handler_and_not_with_the_route() {
    let app = Router::new().route("/a", get(exported)).route("/b", post(exported).get(exported));
    let router = app.with_state(App::new());
    assert_eq!(send(&router, to("/a")).await.status(), StatusCode::OK);
    assert_eq!(send(&router, to("/b")).await.status(), StatusCode::OK);
    assert_eq!(send(&router, to("/a")).await.status(), StatusCode::TOO_MANY_REQUESTS);
}
