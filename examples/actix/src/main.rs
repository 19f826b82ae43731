//! A small chat API on actix-web, limited by class and by action.
//!
//! ```text
//! cargo run --package tollgate-example-actix
//! curl -i http://127.0.0.1:8083/v1/channels/general/messages -H 'authorization: Bearer alice'
//! ```
//!
//! `PORT` chooses the port (0: any free one), and variables such as `RATELIMIT_RL_READ_BURST` the limits. The tokens
//! are `alice` and `bob`.

mod app;
mod auth;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use actix_web::{HttpServer, rt};
use tollgate::http::Gate;
use tollgate::{Class, Config, Limiter};

use app::Limits;

fn main() -> ExitCode {
    match rt::System::new().block_on(serve()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), Box<dyn Error>> {
    let port: u16 = std::env::var("PORT").map_or(Ok(8083), |port| {
        port.parse().map_err(|_| format!("PORT is `{port}`; it must be an integer from 0 to 65535"))
    })?;
    let config = Config::<Class>::builder().environment(std::env::vars_os()).build()?;
    // Once, and not in the closure, which every worker calls for itself.
    let limits = Limits::new(Gate::builder(Limiter::new(&config)?).build()?)?;
    let server = HttpServer::new(move || app::app(&limits)).bind((Ipv4Addr::LOCALHOST, port))?;
    announce(&server.addrs());
    Ok(server.run().await?)
}

#[expect(clippy::print_stdout, reason = "whoever starts the server reads its address there")]
fn announce(addresses: &[SocketAddr]) {
    for address in addresses {
        println!("listening on http://{address}");
    }
}
