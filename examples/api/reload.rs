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
            let gate = gate.clone();
            // A large file, or one on a slow disk, keeps no request waiting.
            let reloaded = tokio::task::spawn_blocking(move || reload(&gate)).await;
            match reloaded.unwrap_or_else(|panic| Err(panic.to_string())) {
                Ok(()) => tracing::info!("the limits are reloaded"),
                Err(error) => tracing::error!("the limits stay as they were: {error}"),
            }
        }
    });
    Ok(())
}

#[cfg(unix)]
fn reload(gate: &Gate) -> Result<(), String> {
    let limits = settings::limits().map_err(|error| error.to_string())?;
    gate.reload(&limits).map_err(|error| error.to_string())
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub(super) fn on_hangup(_: Gate) -> io::Result<()> {
    Ok(())
}
