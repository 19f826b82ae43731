//! One limited route.

use std::error::Error;
use std::net::SocketAddr;

use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;
use tower_governor::GovernorLayer;
use tower_governor::governor::GovernorConfigBuilder;

async fn hello() -> &'static str {
    "hello"
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut config = GovernorConfigBuilder::default();
    let config = config.per_second(10).burst_size(120).use_headers().finish();
    let layer = GovernorLayer::new(config.ok_or("neither is zero")?);
    let app = Router::new().route("/", get(hello)).layer(layer);
    let listener = TcpListener::bind("127.0.0.1:8080").await?;
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}
