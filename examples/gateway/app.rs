//! The one route, and the state that its connections share.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRef, State};
use axum::response::Response;
use tokio::sync::broadcast;
use tollgate::axum::routing::{Router, get};
use tollgate::http::Gate;
use tollgate::{Config, Limiter, rate_limited};

use super::session;

/// What every connection has of the server.
#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) limiter: Limiter,
    /// Everything that all connections are told.
    pub(super) events: broadcast::Sender<String>,
    connections: Arc<AtomicU64>,
}

impl Server {
    /// An id that no other connection has.
    pub(super) fn next_connection(&self) -> String {
        format!("c-{}", self.connections.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

#[derive(Clone, Debug, FromRef)]
struct App {
    gate: Gate,
    server: Server,
}

/// The gateway, limited by `limiter`, which an HTTP API may share.
pub(super) fn router(limiter: Limiter, config: &Config) -> Result<Router, Box<dyn Error>> {
    let gate = Gate::builder(limiter.clone()).config(config).build()?;
    let server =
        Server { limiter, events: broadcast::Sender::new(64), connections: Arc::default() };
    Ok(Router::new().route("/gateway", get(upgrade)).with_state(App { gate, server }))
}

#[rate_limited(exempt = "connecting is limited by device or token, once these are verified")]
async fn upgrade(State(server): State<Server>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.max_message_size(4096).on_upgrade(|socket| session::serve(server, socket))
}
