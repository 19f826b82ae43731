//! What a test of a limited service looks like: the real router, and a clock that stands still until
//! the test moves it.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::connect_info::MockConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode, header};
use http_body_util::BodyExt;
use tollgate::axum::routing::Router;
use tollgate::clock::ManualClock;
use tollgate::{Class, Config, Limiter};
use tower::ServiceExt;

use super::app;

fn api(clock: &ManualClock) -> Router {
    let limiter = Limiter::with_clock(&Config::default(), clock.clone()).unwrap();
    let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 50_000));
    app::router(limiter).unwrap().0.layer(MockConnectInfo(peer))
}

async fn send(
    api: &Router,
    method: &str,
    path: &str,
    token: &str,
) -> (StatusCode, HeaderMap, Bytes) {
    let request = Request::builder().method(method).uri(path);
    let request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    let response = api.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let (head, body) = response.into_parts();
    (head.status, head.headers, body.collect().await.unwrap().to_bytes())
}

#[tokio::test]
async fn an_export_succeeds_after_exactly_the_wait_it_was_told_and_not_before() {
    let clock = ManualClock::new();
    let api = api(&clock);
    for _ in 0..2 {
        let (status, ..) = send(&api, "POST", "/v1/exports", "alice").await;
        assert_eq!(status, StatusCode::ACCEPTED);
    }
    let (status, headers, _) = send(&api, "POST", "/v1/exports", "alice").await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(headers[header::RETRY_AFTER], "10");

    clock.advance(Duration::from_micros(9_999_999));
    let (status, headers, _) = send(&api, "POST", "/v1/exports", "alice").await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(headers[header::RETRY_AFTER], "1");

    clock.advance(Duration::from_micros(1));
    let (status, headers, _) = send(&api, "POST", "/v1/exports", "alice").await;
    assert_eq!(status, StatusCode::ACCEPTED);
    assert_eq!(headers["ratelimit"], r#""rl.export";r=0;t=20"#);
}

#[tokio::test]
async fn a_webhook_whose_body_is_no_text_reads_a_problem() {
    let request = Request::post("/v1/webhooks/w1").body(Body::from(&b"\xff"[..])).unwrap();
    let response = api(&ManualClock::new()).oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::BAD_REQUEST);
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/problem+json");
    assert_eq!(response.headers()["ratelimit"], r#""rl.webhook_in";r=19;t=1"#);
}

#[tokio::test]
async fn a_refusal_does_not_tell_whether_a_channel_exists_or_may_be_seen() {
    let api = api(&ManualClock::new());
    for _ in 0..120 {
        send(&api, "GET", "/v1/channels/general/messages", "bob").await;
    }
    let open = send(&api, "GET", "/v1/channels/general/messages", "bob").await;
    let foreign = send(&api, "GET", "/v1/channels/private/messages", "bob").await;
    let missing = send(&api, "GET", "/v1/channels/secret/messages", "bob").await;
    assert_eq!(open.0, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(open, foreign);
    assert_eq!(open, missing);
}

#[tokio::test]
async fn a_drained_bucket_stays_empty_when_its_limit_is_lowered() {
    let clock = ManualClock::new();
    let limiter = Limiter::with_clock(&Config::default(), clock.clone()).unwrap();
    let api = app::router(limiter.clone()).unwrap().0;
    let read = async || send(&api, "GET", "/v1/channels/general/messages", "alice").await;
    for _ in 0..120 {
        assert_eq!(read().await.0, StatusCode::OK);
    }
    assert_eq!(read().await.0, StatusCode::TOO_MANY_REQUESTS);

    // From 600 a minute to 60: the next token is a second away now, not a tenth of one.
    let lower = Config::builder().class(Class::Read, |class| class.per_minute(60)).build().unwrap();
    limiter.reload(&lower).unwrap();
    clock.advance(Duration::from_micros(999_999));
    let (status, headers, _) = read().await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(headers["ratelimit-policy"], r#""rl.read";q=60;w=60"#);
    clock.advance(Duration::from_micros(1));
    assert_eq!(read().await.0, StatusCode::OK);
}
