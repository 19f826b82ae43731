//! Lists of routes.

use axum::http::{Method, StatusCode};
use tollgate::axum::routing::Router;
use tollgate::{Action, rate_limited, routes};
use tower::ServiceExt as _;

use super::{App, limit, to};

#[rate_limited(Action::MessageList)]
async fn list() {}

#[rate_limited(Action::MessageSend)]
async fn send() {}

async fn status_and_limit(router: &Router, method: Method, path: &str) -> (StatusCode, String) {
    let mut request = to(path);
    *request.method_mut() = method;
    let response = router.clone().oneshot(request).await.expect("a router answers");
    let limit = limit(&response).and_then(|limit| limit.split('"').nth(1)).unwrap_or_default();
    (response.status(), limit.to_owned())
}

#[tokio::test]
async fn a_handler_stands_under_the_method_and_path_of_its_action() {
    let router = routes![list, send, ..].with_state(App::new());
    let path = "/v1/channels/general/messages";
    let listed = status_and_limit(&router, Method::GET, path).await;
    assert_eq!(listed, (StatusCode::OK, "rl.read".to_owned()));
    let sent = status_and_limit(&router, Method::POST, path).await;
    assert_eq!(sent, (StatusCode::OK, "rl.message".to_owned()));
    let other = status_and_limit(&router, Method::DELETE, path).await;
    assert_eq!(other.0, StatusCode::METHOD_NOT_ALLOWED);
    let elsewhere = status_and_limit(&router, Method::GET, "/v1/channels/general").await;
    assert_eq!(elsewhere.0, StatusCode::NOT_FOUND);
}
