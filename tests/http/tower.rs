//! Layers around a service that is no router of axum.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use tollgate::Class;
use tollgate::tower::LimitLayer;
use tower::{Layer as _, Service, ServiceExt as _, service_fn};

use super::support::{PEER, builder, gate};

fn request() -> Request<()> {
    let mut request = Request::new(());
    let peer: SocketAddr = format!("{PEER}:4000").parse().expect("an address");
    request.extensions_mut().insert(peer);
    request
}

async fn hello(_: Request<()>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::new(Full::from("hello")))
}

#[tokio::test]
async fn any_service_of_http_requests_is_limited_alike() {
    let layer = LimitLayer::class(gate(), Class::Export).unwrap();
    let service = layer.layer(service_fn(hello));
    for left in [1, 0] {
        let response = service.clone().oneshot(request()).await.unwrap();
        let state = format!("\"rl.export\";r={left};t={}", (2 - left) * 10);
        assert_eq!(response.headers()["ratelimit"], state);
        assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "hello");
    }
    let response = service.oneshot(request()).await.unwrap();
    assert_eq!(response.status(), 429);
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let document: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(document["violated-policies"], serde_json::json!(["rl.export"]));
}

#[cfg(feature = "axum")]
#[tokio::test]
async fn where_axum_has_left_a_peer_that_is_the_one() {
    use axum::extract::ConnectInfo;

    let gate = gate();
    let layer = LimitLayer::class(gate.clone(), Class::PublicAuth).unwrap();
    // The reference catalogue has ten tokens for each address.
    for (last, left) in [(8, 9), (9, 9), (8, 8)] {
        let mut request = request();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([192, 0, 2, last], 4000))));
        let response = layer.layer(service_fn(hello)).oneshot(request).await.unwrap();
        let state = response.headers()["ratelimit"].to_str().unwrap();
        assert!(state.starts_with(&format!("\"rl.public_auth\";r={left};")), "{state}");
    }
}

#[tokio::test]
async fn the_cost_of_an_action_is_the_one_of_the_catalogue() {
    let action = tollgate::Action::ALL.iter().find(|action| action.cost() > 1);
    let action = *action.expect("the reference catalogue has a dear action");
    let layer = LimitLayer::action(gate(), action).unwrap();
    let response = layer.layer(service_fn(hello)).oneshot(request()).await.unwrap();
    let limits = action.class().limits();
    let left = limits.capacity() - u64::from(action.cost());
    let state = response.headers()["ratelimit"].to_str().unwrap();
    assert!(state.starts_with(&format!("\"{}\";r={left};t=", action.class())), "{state}");
}

#[tokio::test]
async fn the_service_that_was_ready_is_the_one_that_is_called() {
    /// Panics when it is called without having been ready, as a service may.
    #[derive(Default)]
    struct Strict {
        is_ready: bool,
    }
    impl Clone for Strict {
        fn clone(&self) -> Self {
            Self::default()
        }
    }
    impl Service<Request<()>> for Strict {
        type Response = Response<Full<Bytes>>;
        type Error = Infallible;
        type Future = std::future::Ready<Result<Self::Response, Infallible>>;

        fn poll_ready(
            &mut self,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Result<(), Infallible>> {
            self.is_ready = true;
            std::task::Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Request<()>) -> Self::Future {
            assert!(std::mem::take(&mut self.is_ready), "called before it was ready");
            std::future::ready(Ok(Response::new(Full::from("hello"))))
        }
    }
    let gate = builder(&Arc::default()).build().unwrap();
    let mut service = LimitLayer::edge(gate).layer(Strict::default());
    for _ in 0..3 {
        let response = service.ready().await.unwrap().call(request()).await.unwrap();
        assert_eq!(response.status(), 200);
    }
}
