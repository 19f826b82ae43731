//! The gate for [actix-web]: middleware for an app, a scope or a resource.
//!
//! - [`Limit`] takes from a class, an action or a budget before what it wraps is called, or from the
//!   edge rules and the host's default budgets.
//! - [`Credentials`] wraps an authenticator, counts failed credentials for the client's address, and
//!   keeps the authenticator from being asked when there were too many.
//!
//! Everything is decided by the gate; this module only translates. The gate is made once, outside of
//! the closure that `HttpServer` calls for each of its workers, so that all workers share it.
//!
//! The caller is the [`Caller`](crate::Caller) in the extensions of the request, where an
//! authenticating middleware has put it, or what
//! [`GateBuilder::callers`](crate::http::GateBuilder::callers) finds in the method, the URI and the header
//! fields. The peer is the other end of the connection.
//!
//! [actix-web]: ::actix_web

mod credentials;
mod failure;
mod limit;
mod translate;

pub use credentials::{Credentials, CredentialsService};
pub use limit::{Limit, LimitService};

pub use crate::tower::GatewayOnly;
