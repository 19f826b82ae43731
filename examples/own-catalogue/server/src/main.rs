//! Serves a library on a free port of this machine.

#![deny(warnings, missing_docs, clippy::pedantic)]

use std::error::Error;
use std::net::SocketAddr;

use library_handlers::{App, routes};
use library_limits::Class;
use tollgate::http::Gate;
use tollgate::{Config, Limiter};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let config = Config::<Class>::builder().environment(std::env::vars_os()).build()?;
    let gate = Gate::builder(Limiter::new(&config)?).build()?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}", listener.local_addr()?);
    let service = routes(App { gate }).into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service).await?;
    Ok(())
}
