#![deny(warnings, missing_docs, missing_debug_implementations, clippy::pedantic)]
//! Patterns, `mut`, and names that could meet those of the expansion.

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

#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct S;

impl<T: Sync> axum::extract::FromRequestParts<T> for S {
    type Rejection = std::convert::Infallible;
    async fn from_request_parts(
        _: &mut axum::http::request::Parts,
        _: &T,
    ) -> Result<Self, Self::Rejection> {
        Ok(Self)
    }
}

/// Changes what it took, under names that generated code could have used.
#[rate_limited(Class::Read)]
pub async fn change(
    State(mut state): State<Db>,
    Path((request, mut self_)): Path<(String, String)>,
    S: S,
    mut body: String,
) -> String {
    state.clone_from(&Db);
    self_.push_str(&request);
    body.push_str(&self_);
    body
}

/// Has a local variable of its own name.
#[rate_limited(Class::Read)]
pub async fn list() -> String {
    let list = String::new();
    list + ""
}

/// Calls itself.
#[rate_limited(Class::Read)]
pub async fn again(body: String) -> String {
    if body.is_empty() { Box::pin(again(String::from("x"))).await } else { body }
}

/// Has a keyword for a name.
#[rate_limited(Class::Read)]
pub async fn r#type() {}

/// The routes.
pub fn router(app: App) -> Router {
    Router::new().route("/change", post(change)).route("/list", get(list)).route("/again", post(again)).route("/type", get(r#type)).with_state(app)
}

fn main() {}
