#![deny(warnings, missing_docs, missing_debug_implementations, clippy::pedantic)]
//! Attributes above and beneath.

use axum::Router;
use axum::extract::{FromRef, State};
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

/// Is traced.
#[rate_limited(Class::Read)]
#[tracing::instrument]
pub async fn beneath(body: String) {}

/// Is traced from above.
#[tracing::instrument]
#[rate_limited(Class::Read)]
pub async fn above(body: String) {}

/// Is checked by axum, too.
#[rate_limited(Class::Read)]
#[axum::debug_handler(state = App)]
pub async fn debugged(State(_db): State<Db>, _body: String) -> &'static str {
    "text"
}

/// Is not there.
#[rate_limited(Class::Read)]
#[cfg(any())]
pub async fn absent() {}

/// Takes one argument of three.
#[rate_limited(Class::Read)]
pub async fn conditional(
    #[cfg(any())] _absent: NoSuchType,
    #[cfg(all())] _db: State<Db>,
    #[cfg(any())] _also_absent: NoSuchType,
) {
}

/// Keeps its lints to itself.
#[rate_limited(Class::Read)]
#[expect(clippy::needless_return)]
#[allow(unused_variables)]
pub async fn linted(body: String) {
    return;
}

/// Is old.
#[rate_limited(Class::Read)]
#[deprecated]
pub async fn old() {}

/// The routes.
pub fn router(app: App) -> Router {
    Router::new().route("/beneath", post(beneath)).route("/above", post(above)).route("/debugged", post(debugged)).route("/conditional", get(conditional)).route("/linted", post(linted)).with_state(app)
}

fn main() {}
