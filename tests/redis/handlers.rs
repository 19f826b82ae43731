//! Handlers of axum whose class is clustered, so that each waits for the backend.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Path;
use axum::http::{Request, Response, StatusCode};
use axum::routing::post;
use tollgate::config::{FailureMode, Mode};
use tollgate::http::Gate;
use tollgate::{Class, Limiter, rate_limited};
use tower::ServiceExt as _;

use super::config;
use super::server::{Server, installed};

#[rate_limited(Class::WebhookIn)]
async fn receive(Path(webhook_id): Path<String>, body: String) -> String {
    format!("{webhook_id} got {body}")
}

/// One node: two requests for each webhook, and one more a minute.
fn node(url: &str) -> Router {
    let config = config(url).class(Class::WebhookIn, |class| {
        class.mode(Mode::Clustered).failure_mode(FailureMode::Closed).per_minute(1).burst(2)
    });
    let limiter = Limiter::new(&config.build().unwrap()).unwrap();
    let gate = Gate::builder(limiter).build().unwrap();
    Router::new().route("/hooks/{webhook_id}", post(receive)).with_state(gate)
}

async fn send(node: &Router, path: &str) -> Response<Body> {
    let request = Request::post(path).body(Body::from("an event")).unwrap();
    node.clone().oneshot(request).await.unwrap()
}

fn limit(response: &Response<Body>) -> &str {
    response.headers()["ratelimit"].to_str().unwrap()
}

#[tokio::test]
async fn nodes_share_the_bucket_of_a_webhook_and_its_handler_gets_the_whole_request() {
    for program in installed("nodes_share_the_bucket_of_a_webhook") {
        let server = Server::start(program, &[]);
        let (one, other) = (node(&server.url()), node(&server.url()));

        let first = send(&one, "/hooks/a%62c").await;
        assert_eq!(limit(&first), "\"rl.webhook_in\";r=1;t=60");
        let answer = to_bytes(first.into_body(), 100).await.unwrap();
        assert_eq!(answer, "abc got an event");

        let same = send(&other, "/hooks/abc").await;
        assert!(limit(&same).starts_with("\"rl.webhook_in\";r=0;"), "{same:?}");
        let refused = send(&one, "/hooks/abc").await;
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
        let another = send(&one, "/hooks/another").await;
        assert_eq!(limit(&another), "\"rl.webhook_in\";r=1;t=60");
    }
}
