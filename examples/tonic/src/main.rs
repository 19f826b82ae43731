//! Limits in front of services of gRPC, one class for each, and the edge rules in front of the server.
//!
//! ```text
//! cargo run --package tollgate-example-tonic
//! ```
//!
//! `PORT` chooses the port (0: any free one), and variables such as `RATELIMIT_RL_MESSAGE_BURST` the limits. Messages
//! are plain text, so that no compiler of protobuf is needed; the limits do not care.

mod app;
mod rpc;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use tokio::net::TcpListener;
use tollgate::{Class, Config, Limiter};

#[tokio::main]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), Box<dyn Error>> {
    let port = std::env::var("PORT").map_or(Ok(8084), |port| {
        port.parse().map_err(|_| format!("PORT is `{port}`; it must be an integer from 0 to 65535"))
    })?;
    let config = Config::<Class>::builder().environment(std::env::vars_os()).build()?;
    let limiter = Limiter::new(&config)?;
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    announce(listener.local_addr()?);
    app::serve(listener, limiter).await
}

#[expect(clippy::print_stdout, reason = "whoever starts the server reads its address there")]
fn announce(address: SocketAddr) {
    println!("listening on http://{address}");
}
