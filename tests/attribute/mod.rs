//! Handlers that declare their limit, on a real router.

mod answers;
mod keys;
mod routes;
mod routing;

use std::net::{IpAddr, SocketAddr};

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, FromRef};
use axum::http::{HeaderMap, Request, Response};
use tollgate::Limiter;
use tollgate::clock::ManualClock;
use tollgate::http::Gate;
use tower::ServiceExt as _;

/// The state of an application: the gate and something else.
#[derive(Clone, Debug, FromRef)]
struct App {
    gate: Gate,
    greeting: &'static str,
}

impl App {
    /// Full buckets, and a clock that stands.
    fn new() -> Self {
        let config = tollgate::Config::default();
        let limiter = Limiter::with_clock(&config, ManualClock::new());
        let limiter = limiter.expect("the catalogue's limits can be held");
        let gate = Gate::builder(limiter).config(&config).build();
        Self { gate: gate.expect("the catalogue's limits can be held"), greeting: "hello" }
    }
}

/// A request to `path` from `peer`.
fn from(peer: &str, path: &str) -> Request<Body> {
    let address: IpAddr = peer.parse().expect("an address");
    let request = Request::builder().uri(path).body(Body::from("body"));
    let mut request = request.expect("a request");
    request.extensions_mut().insert(ConnectInfo(SocketAddr::new(address, 4000)));
    request
}

/// A request to `path` from always the same peer.
fn to(path: &str) -> Request<Body> {
    from("192.0.2.1", path)
}

async fn send(router: &Router, request: Request<Body>) -> Response<Body> {
    router.clone().oneshot(request).await.expect("a router answers")
}

/// The one value of a field, or nothing; two lines of one field are a fault.
fn one<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut lines = headers.get_all(name).iter();
    let value = lines.next()?;
    assert_eq!(lines.next(), None, "`{name}` stands there twice");
    Some(value.to_str().expect("fields are text"))
}

/// What the response says of the limit that was asked.
fn limit(response: &Response<Body>) -> Option<&str> {
    assert_eq!(
        one(response.headers(), "ratelimit").is_some(),
        one(response.headers(), "ratelimit-policy").is_some(),
        "both fields or none"
    );
    one(response.headers(), "ratelimit")
}
