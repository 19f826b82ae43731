//! The gate for [axum]: handlers that declare their limit, and the router that insists on it.
//!
//! `#[rate_limited(Class::Read)]` turns an `async fn` into a handler that asks the [`Gate`](crate::http::Gate) of the
//! state before any of its extractors runs, and that puts the rate-limit fields on whatever
//! response comes back. Everything is decided by the gate; this module only translates.
//!
//! [axum]: ::axum

mod arguments;
mod handler;
pub mod routing;
mod serve;

pub use handler::{HasGate, LimitedHandler};
pub(crate) use serve::{peer, view};

/// What the expansion of `#[rate_limited(..)]` names; no part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use ::axum::extract::Request;
    pub use ::axum::handler::Handler;

    pub use super::arguments::{Arguments, FromHead, FromWhole};
    pub use super::handler::{Declares, HasGate, LimitedHandler};
    pub use super::routing::Router;
    pub use super::routing::coverage::{Mounted, check_coverage, check_handler, operations};
    pub use super::routing::routes::{declared, mount};
    pub use super::serve::{HandlerFuture, serve, serve_exempt};
    pub use tollgate_macros::routes;
}
