//! A gateway of long-lived connections, limited by the same limiter as an HTTP API.
//!
//! ```text
//! cargo run --example gateway
//! websocat ws://127.0.0.1:8081/gateway
//! {"op":"identify","token":"phone-1"}
//! {"op":"typing","channel":"general"}
//! ```
//!
//! `PORT` chooses the port (0: any free one). The tokens are `phone-1` and `laptop-1`, two devices of
//! alice, and `bot-1`, an API token.
//!
//! Connecting is limited by device or token, and so only after the credentials are verified: at the
//! upgrade nobody is known yet, and a limit by address would lock out everybody behind one proxy.
//! Typing is limited by connection.

mod app;
mod auth;
mod protocol;
mod session;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use tokio::net::TcpListener;
use tollgate::{Config, Limiter};

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
    let port = std::env::var("PORT").map_or(Ok(8081), |port| {
        port.parse().map_err(|_| format!("PORT is `{port}`; it must be an integer from 0 to 65535"))
    })?;
    let config = Config::builder().environment(std::env::vars_os()).build()?;
    let app = app::router(Limiter::new(&config)?, &config)?;

    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener = TcpListener::bind(address).await.map_err(|error| {
        format!(
            "cannot listen on {address}: {error}; PORT chooses another port, and 0 any free one"
        )
    })?;
    announce(listener.local_addr()?);
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

#[expect(clippy::print_stdout, reason = "whoever starts the server reads its address there")]
fn announce(address: SocketAddr) {
    println!("listening on ws://{address}/gateway");
}
