//! Two services, each behind the limit of its class, on one server.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};

use tokio::net::TcpListener;
use tollgate::http::{Gate, RequestView};
use tollgate::tower::{GrpcLayer, LimitLayer};
use tollgate::{Class, Limiter};
use tonic::service::LayerExt as _;
use tonic::transport::Server;
use tonic::transport::server::{TcpConnectInfo, TcpIncoming};

use super::rpc::{Messages, Search};

/// Serves calls until the listener fails.
pub(crate) async fn serve(listener: TcpListener, limiter: Limiter) -> Result<(), Box<dyn Error>> {
    let gate = Gate::builder(limiter).peer_address(peer).build()?;
    let messages = GrpcLayer::new(LimitLayer::class(gate.clone(), Class::Message)?);
    let searches = GrpcLayer::new(LimitLayer::class(gate.clone(), Class::Search)?);
    Server::builder()
        .layer(GrpcLayer::new(LimitLayer::edge(gate)))
        .add_service(messages.named_layer(Messages))
        .add_service(searches.named_layer(Search))
        .serve_with_incoming(TcpIncoming::from(listener))
        .await?;
    Ok(())
}

/// The other end of the connection, where tonic puts it.
fn peer(request: &RequestView<'_>) -> Option<IpAddr> {
    let connection = request.extensions().get::<TcpConnectInfo>()?;
    connection.remote_addr().map(|address: SocketAddr| address.ip())
}
