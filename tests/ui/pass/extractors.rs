#![deny(warnings, missing_docs, missing_debug_implementations, clippy::pedantic)]
//! Extractors of the state, of the head and of the body.

use axum::Router;
use axum::extract::{FromRef, Path, State};
use axum::routing::{get, post};
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

/// Takes a part of the state, a part of the path, and the body last.
#[rate_limited(Class::Read)]
pub async fn all(State(_db): State<Db>, Path(_channel): Path<u64>, _body: String) {}

/// Takes only the body.
#[rate_limited(Class::Read)]
pub async fn only_the_body(_body: String) {}

/// Takes the whole request.
#[rate_limited(Class::Read)]
pub async fn only_the_request(_request: axum::extract::Request) {}

/// Takes nothing.
#[rate_limited(Class::Read)]
pub async fn nothing() {}

/// Takes as much as axum's own handlers can.
#[rate_limited(Class::Read)]
pub async fn sixteen(
    _: State<Db>,
    _: State<Db>,
    _: State<Db>,
    _: State<Db>,
    _: State<Db>,
    _: State<Db>,
    _: State<Db>,
    _: State<Db>,
    _: State<Db>,
    _: State<Db>,
    _: State<Db>,
    _: State<Db>,
    _: State<Db>,
    _: State<Db>,
    _: State<Db>,
    _body: String,
) {
}

/// The routes.
pub fn router(app: App) -> Router {
    Router::new().route("/all", post(all)).route("/only_the_body", post(only_the_body)).route("/only_the_request", post(only_the_request)).route("/nothing", get(nothing)).route("/sixteen", post(sixteen)).with_state(app)
}

fn main() {}
