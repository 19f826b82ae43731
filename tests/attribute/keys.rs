//! What the gate learns of a request through axum.

use axum::Router;
use axum::extract::connect_info::MockConnectInfo;
use axum::http::StatusCode;
use axum::routing::get;
use tollgate::{Class, rate_limited};

use super::{App, from, limit, send, to};

#[rate_limited(Class::PublicAuth)]
async fn login() {}

#[tokio::test]
async fn the_peer_comes_from_the_connection() {
    let router = Router::new().route("/", get(login)).with_state(App::new());
    // Burst 10, 20 a minute.
    let first = send(&router, from("192.0.2.1", "/")).await;
    assert_eq!(limit(&first), Some("\"rl.public_auth\";r=9;t=3"));
    let other = send(&router, from("192.0.2.2", "/")).await;
    assert_eq!(limit(&other), Some("\"rl.public_auth\";r=9;t=3"));
    let again = send(&router, from("192.0.2.1", "/")).await;
    assert_eq!(limit(&again), Some("\"rl.public_auth\";r=8;t=6"));
}

#[tokio::test]
async fn the_peer_can_be_mocked_as_axum_has_it() {
    let mock = |last| {
        let peer = std::net::SocketAddr::from(([192, 0, 2, last], 4000));
        MockConnectInfo(peer)
    };
    let app = App::new();
    let routes = || Router::new().route("/", get(login)).with_state(app.clone());
    let request = || {
        let mut request = to("/");
        request.extensions_mut().clear();
        request
    };
    let first = send(&routes().layer(mock(1)), request()).await;
    assert_eq!(limit(&first), Some("\"rl.public_auth\";r=9;t=3"));
    let other = send(&routes().layer(mock(2)), request()).await;
    assert_eq!(limit(&other), Some("\"rl.public_auth\";r=9;t=3"));
    let same = send(&routes().layer(mock(1)), from("192.0.2.2", "/")).await;
    // A real connection counts before a mocked one.
    assert_eq!(limit(&same), Some("\"rl.public_auth\";r=8;t=6"));
}

#[rate_limited(Class::WebhookIn)]
async fn webhook() {}

#[tokio::test]
async fn a_webhook_is_known_by_the_decoded_parameter_of_the_path() {
    let router = Router::new().route("/hooks/{webhook_id}", get(webhook)).with_state(App::new());
    // Burst 20, 60 a minute.
    let first = send(&router, from("192.0.2.1", "/hooks/a%62c")).await;
    assert_eq!(first.status(), StatusCode::OK);
    assert_eq!(limit(&first), Some("\"rl.webhook_in\";r=19;t=1"));
    let same = send(&router, from("192.0.2.2", "/hooks/abc")).await;
    assert_eq!(limit(&same), Some("\"rl.webhook_in\";r=18;t=2"));
    let other = send(&router, from("192.0.2.1", "/hooks/other")).await;
    assert_eq!(limit(&other), Some("\"rl.webhook_in\";r=19;t=1"));
}
