//! New limits without a restart: `kill -HUP` reads the configuration again.

use std::io;

use tollgate::http::Gate;

use super::settings;

/// Reads the configuration again whenever the process is told to hang up. What is wrong is logged, and the
/// limits stay as they were.
#[cfg(unix)]
pub(super) fn on_hangup(gate: Gate) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut hangups = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            match settings::limits().and_then(|limits| Ok(gate.reload(&limits)?)) {
                Ok(()) => tracing::info!("the limits are reloaded"),
                Err(error) => tracing::error!("the limits stay as they were: {error}"),
            }
        }
    });
    Ok(())
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub(super) fn on_hangup(_: Gate) -> io::Result<()> {
    Ok(())
}
