#![deny(warnings, missing_docs, missing_debug_implementations, clippy::pedantic)]
//! A state that is no gate, and gives one by hand.

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

/// A state that wraps another.
#[derive(Clone, Debug)]
pub struct Outer(App);

impl FromRef<Outer> for Gate {
    fn from_ref(outer: &Outer) -> Self {
        outer.0.gate.clone()
    }
}

impl FromRef<Outer> for Db {
    fn from_ref(outer: &Outer) -> Self {
        outer.0.db.clone()
    }
}

/// Serves either state.
#[rate_limited(Class::Read)]
pub async fn list(_: State<Db>) {}

/// Has a where clause without type parameters.
#[rate_limited(Class::Read)]
pub async fn bounded(_: State<Db>)
where
    Db: Clone,
{
}

/// The routes of one state.
pub fn inner() -> Router<App> {
    Router::new().route("/", get(list))
}

/// The routes of the other.
pub fn outer() -> Router<Outer> {
    Router::new().route("/", get(list).post(bounded))
}

/// A gate is a state, too.
pub fn gate() -> Router<Gate> {
    #[rate_limited(Class::Read)]
    async fn list() {}

    Router::new().route("/", get(list))
}

fn main() {}
