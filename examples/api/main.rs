//! A small chat API whose every route declares its rate limit.
//!
//! ```text
//! cargo run --example api
//! curl -i http://127.0.0.1:8080/v1/channels/general/messages -H 'authorization: Bearer alice'
//! ```
//!
//! `PORT` chooses the port (0: any free one) and `TOLLGATE_CONFIG` names a TOML file with
//! `[ratelimit]` and `[server]` tables, which `kill -HUP` reads again. Known tokens are `alice`, `bob`,
//! `agent-1`, and `device-1`, which is Alice on a device; no token is an anonymous caller. What the
//! limiter did is counted at `/metrics`.

mod agents;
mod app;
mod auth;
mod channels;
mod chat;
mod exports;
mod login;
mod messages;
mod metrics;
mod problem;
mod reload;
mod search;
mod settings;
#[cfg(test)]
mod tests;
mod webhooks;

use std::error::Error;
use std::io::{self, IsTerminal};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use tokio::net::TcpListener;
use tollgate::Limiter;

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
    let colours = io::stderr().is_terminal();
    tracing_subscriber::fmt().with_writer(io::stderr).with_ansi(colours).init();
    let settings = settings::read()?;
    let limiter = Limiter::new(&settings.limits)?;
    let sweeping = limiter.clone();
    tokio::spawn(async move { sweeping.run(std::future::pending::<()>()).await });
    let (app, gate) = app::router(limiter)?;
    reload::on_hangup(gate)?;

    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, settings.port));
    let listener = TcpListener::bind(address).await.map_err(|error| {
        format!(
            "cannot listen on {address}: {error}; PORT chooses another port, and 0 any free one"
        )
    })?;
    announce(listener.local_addr()?);
    // The peer's address is the key of every caller without a name.
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service).with_graceful_shutdown(interrupted()).await?;
    Ok(())
}

#[expect(clippy::print_stdout, reason = "whoever starts the server reads its address there")]
fn announce(address: SocketAddr) {
    println!("listening on http://{address}");
}

/// Ends when somebody presses Ctrl-C, and never where the system has no such signal.
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
