#![deny(warnings, missing_docs, missing_debug_implementations, clippy::pedantic)]
//! Handlers of any visibility, in a module and in a function.

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

mod messages {
    use tollgate::rate_limited;

    #[rate_limited(crate::Class::Read)]
    pub(super) async fn list() {}

    #[rate_limited(super::Class::Read, cost = 2)]
    pub(in super::messages) async fn inner() {}

    #[rate_limited(tollgate::Action::MessageList)]
    pub(crate) async fn action() {
        inner::call().await;
    }
}

#[rate_limited(Class::Read)]
async fn private() {}

fn main() {
    #[rate_limited(Class::Read)]
    async fn local(State(_db): State<Db>) {}

    let _: Router<App> = Router::new()
        .route("/list", get(messages::list))
        .route("/action", get(messages::action))
        .route("/private", get(private))
        .route("/local", get(local));
}
