//! One limited route.

use std::error::Error;
use std::net::SocketAddr;

use tokio::net::TcpListener;
use tollgate::axum::routing::{Router, get};
use tollgate::http::Gate;
use tollgate::{Class, Config, Limiter, rate_limited};

#[rate_limited(Class::Read)]
async fn hello() -> &'static str {
    "hello"
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let gate = Gate::builder(Limiter::new(&Config::default())?).build()?;
    let app: axum::Router = Router::new().route("/", get(hello)).with_state(gate).into();
    let listener = TcpListener::bind("127.0.0.1:8080").await?;
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}
