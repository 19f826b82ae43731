#![deny(warnings, missing_docs, missing_debug_implementations, clippy::pedantic)]
//! Every form of a declaration.

use axum::Router;
use axum::extract::{FromRef, State};
use axum::routing::get;
use tollgate::http::Gate;
use tollgate::{Class, rate_limited};

/// The state.
#[derive(Clone, Debug, FromRef)]
pub struct App {
    gate: Gate,
    db: Db,
}

/// Where messages are.
#[derive(Clone, Debug)]
pub struct Db;

use tollgate::catalogue::KeyKind;

const TWO: u32 = 2;

/// Takes what the host gives.
#[rate_limited(default)]
pub async fn default(_: State<Db>) {}

/// Takes nothing from any bucket.
#[rate_limited(exempt = "the load balancer asks every second")]
pub async fn health() {}

/// Has a budget to itself.
#[rate_limited(per_minute = 30, burst = 10, key = KeyKind::ClientIp)]
pub async fn budget() {}

/// Has a budget to itself, with another name.
#[rate_limited(name = "exports", per_minute = 30, burst = TWO, key = KeyKind::Tenant)]
pub async fn named() {}

/// Costs more than one token.
#[rate_limited(Class::Read, cost = TWO + 1,)]
pub async fn costly() {}

/// The routes.
pub fn router(app: App) -> Router {
    Router::new().route("/default", get(default)).route("/budget", get(budget)).route("/named", get(named)).route("/costly", get(costly)).with_state(app)
}

/// An exempt handler needs no gate.
pub fn without_gate() -> Router {
    Router::new().route("/health", get(health))
}

fn main() {}
