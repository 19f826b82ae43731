//! Axum: handlers declare with the attribute, layers are for the edge and the defaults.

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, FromRef, State};
use axum::http::StatusCode;
use axum::routing::post;
use http_body_util::BodyExt as _;
use std::net::SocketAddr;
use tollgate::catalogue::KeyKind;
use tollgate::http::Gate;
use tollgate::tower::LimitLayer;
use tollgate::{Action, Class, rate_limited};
use tower::ServiceExt as _;

use crate::host::{Answer, Ask, Calls, Host, PEER, Route};

pub(crate) struct Axum(Router);

#[derive(Clone, FromRef)]
struct App {
    gate: Gate,
    calls: Calls,
}

#[rate_limited(per_minute = 6, burst = 1, key = KeyKind::ClientIp, name = "own")]
async fn budget(State(calls): State<Calls>) {
    calls.count();
}

#[rate_limited(exempt = "nothing to protect")]
async fn exempt(State(calls): State<Calls>) {
    calls.count();
}

#[rate_limited(Class::Export)]
async fn export(State(calls): State<Calls>) {
    calls.count();
}

#[rate_limited(Class::Export)]
async fn failing(State(calls): State<Calls>) -> Result<(), StatusCode> {
    calls.count();
    Err(StatusCode::GONE)
}

async fn plain(State(calls): State<Calls>) {
    calls.count();
}

#[rate_limited(Action::AuthRegister)]
async fn register(State(calls): State<Calls>) {
    calls.count();
}

impl Host for Axum {
    async fn start(gate: Gate, calls: Calls) -> Self {
        let router = Router::new()
            .route(Route::Budget.path(), post(budget))
            .route(Route::Exempt.path(), post(exempt))
            .route(Route::Export.path(), post(export))
            .route(Route::Failing.path(), post(failing))
            .route(Route::Plain.path(), post(plain))
            .route(Route::Register.path(), post(register))
            .layer(LimitLayer::defaults(gate.clone()))
            .layer(LimitLayer::edge(gate.clone()))
            .with_state(App { gate, calls });
        Self(router)
    }

    async fn send(&self, ask: &Ask) -> Answer {
        let mut request = ask.request(Body::empty());
        let peer = SocketAddr::new(PEER.parse().expect("an address"), 4000);
        request.extensions_mut().insert(ConnectInfo(peer));
        let response = self.0.clone().oneshot(request).await.expect("a router answers");
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("a body in memory").to_bytes();
        Answer::of_http(parts.status.as_u16(), parts.headers, body.into())
    }
}
