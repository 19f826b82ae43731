//! Limits in front of a service of hyper, without a router.
//!
//! ```text
//! cargo run --package tollgate-example-hyper
//! curl -i http://127.0.0.1:8082/search
//! ```
//!
//! `PORT` chooses the port (0: any free one), and variables such as `RATELIMIT_RL_SEARCH_BURST` the limits.

mod app;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use tokio::net::TcpListener;
use tollgate::http::Gate;
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
    let port = std::env::var("PORT").map_or(Ok(8082), |port| {
        port.parse().map_err(|_| format!("PORT is `{port}`; it must be an integer from 0 to 65535"))
    })?;
    let config = Config::<Class>::builder().environment(std::env::vars_os()).build()?;
    let gate = Gate::builder(Limiter::new(&config)?).build()?;
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    announce(listener.local_addr()?);
    app::serve(listener, gate).await
}

#[expect(clippy::print_stdout, reason = "whoever starts the server reads its address there")]
fn announce(address: SocketAddr) {
    println!("listening on http://{address}");
}
