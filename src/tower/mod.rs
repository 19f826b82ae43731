//! Layers for any service of [`http`] requests: axum, hyper, and whatever else speaks tower.
//!
//! - [`LimitLayer`] takes from a class or from a budget before the service behind it is called:
//!   the edge rules of the configuration, the host's default budgets, or one limit for everything.
//! - [`CredentialsLayer`] stands around an authenticator, counts failed credentials for the
//!   client's address, and keeps the authenticator from being asked when there were too many.
//! - [`GrpcLayer`] makes either of them a layer for services of gRPC, as those of tonic.
//!
//! Layers are [`Clone`] and share the gate. They find the peer's address where axum leaves it, else
//! as a [`SocketAddr`] in the extensions of the request; for anything else
//! there is [`GateBuilder::peer_address`](crate::http::GateBuilder::peer_address).
//!
//! [`http`]: ::http

mod credentials;
mod grpc;
mod limit;

pub use credentials::{Credentials, CredentialsLayer};
pub use grpc::{Grpc, GrpcBody, GrpcInner, GrpcLayer};
pub use limit::{GatewayOnly, Limit, LimitLayer};

use std::net::{IpAddr, SocketAddr};

use http::{Extensions, Request};

use crate::http::RequestView;

/// What is known of a request beyond its head.
fn view<B>(request: &Request<B>) -> RequestView<'_> {
    #[cfg(feature = "axum")]
    let view = crate::axum::view(request);
    #[cfg(not(feature = "axum"))]
    let view = RequestView::of(request);
    view.peer_in(peer)
}

/// The peer's address, where axum leaves it or else as it is.
fn peer(extensions: &Extensions) -> Option<IpAddr> {
    #[cfg(feature = "axum")]
    if let Some(peer) = crate::axum::peer(extensions) {
        return Some(peer);
    }
    extensions.get::<SocketAddr>().map(SocketAddr::ip)
}
