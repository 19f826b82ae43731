#![deny(warnings, missing_docs, missing_debug_implementations, clippy::pedantic)]
//! Whatever answers: an opaque type, a result, nothing.

use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use tollgate::http::Gate;
use tollgate::{Class, rate_limited};

/// The state.
#[derive(Clone, Debug, FromRef)]
pub struct App {
    gate: Gate,
}

/// Answers with an opaque type.
#[rate_limited(Class::Read)]
pub async fn opaque() -> impl axum::response::IntoResponse {
    "text"
}

/// Answers with a result.
///
/// # Errors
///
/// Always.
#[rate_limited(Class::Read)]
pub async fn result() -> Result<String, (axum::http::StatusCode, &'static str)> {
    std::future::ready(()).await;
    Err((axum::http::StatusCode::NOT_FOUND, "nothing here"))?;
    Ok(String::new())
}

/// The routes.
pub fn router(app: App) -> Router {
    Router::new().route("/opaque", get(opaque)).route("/result", get(result)).with_state(app)
}

fn main() {}
