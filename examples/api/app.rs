//! The routes, the state behind them and the gate in front of them.

use std::error::Error;
use std::sync::Arc;

use axum::extract::FromRef;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::from_fn;
use tollgate::axum::routing::{Router, get, patch, post};
use tollgate::http::Gate;
use tollgate::{Caller, Config, Limiter, rate_limited};

use super::auth::{self, Viewer};
use super::chat::Chat;
use super::problem::Problem;
use super::{channels, exports, login, messages, search};

/// What handlers take with `State`; the attribute takes the gate from here too.
#[derive(Clone, Debug, FromRef)]
struct App {
    gate: Gate,
    chat: Arc<Chat>,
}

/// The whole API, limited by `limiter`.
pub(super) fn router(limiter: Limiter, config: &Config) -> Result<Router, Box<dyn Error>> {
    let gate = Gate::builder(limiter).config(config).callers(caller).build()?;
    let app = App { gate, chat: Arc::default() };
    Ok(Router::new()
        .route("/v1/channels/{channel_id}/messages", get(messages::list).post(messages::send))
        .route("/v1/channels/{channel_id}", patch(channels::update))
        .route("/v1/search", get(search::search))
        .route("/v1/exports", post(exports::create))
        .route("/v1/auth/login", post(login::login))
        .layer(from_fn(auth::authenticate))
        .route("/healthz", get(healthy))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(app))
}

/// Whose bucket a request uses; the authentication layer has put the viewer into the request.
fn caller(parts: &Parts) -> Caller {
    match parts.extensions.get::<Viewer>() {
        Some(Viewer::User(name)) => Caller::principal(*name),
        Some(Viewer::Anonymous) | None => Caller::anonymous(),
    }
}

#[rate_limited(exempt = "the load balancer asks every second")]
async fn healthy() -> &'static str {
    "ok\n"
}

#[rate_limited(exempt = "it does nothing")]
async fn not_found() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this path")
}

#[rate_limited(exempt = "it does nothing")]
async fn method_not_allowed() -> Problem {
    let detail = "this path does not answer to this method";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
}
