//! What the environment says: the port and the limits.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use tollgate::Config;

/// The settings of this server.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) port: u16,
    pub(super) limits: Config,
}

/// Reads `PORT`, the file that `TOLLGATE_CONFIG` names, and `RATELIMIT_..` variables over it.
pub(super) fn read() -> Result<Settings, Box<dyn Error>> {
    Ok(Settings { port: port()?, limits: limits()? })
}

fn port() -> Result<u16, String> {
    let Some(port) = env::var_os("PORT") else { return Ok(8080) };
    let port = port.to_string_lossy();
    port.parse().map_err(|_| format!("PORT is `{port}`; it must be an integer from 0 to 65535"))
}

/// The limits alone, which may change while the server runs.
pub(super) fn limits() -> Result<Config, Box<dyn Error>> {
    let mut config = Config::builder();
    // What is set to nothing is not set, as shells and service managers have it.
    let path = env::var_os("TOLLGATE_CONFIG").filter(|path| !path.is_empty());
    if let Some(path) = path.map(PathBuf::from) {
        let text = fs::read_to_string(&path)
            .map_err(|error| format!("TOLLGATE_CONFIG names {}: {error}", path.display()))?;
        let file = toml::from_str(&text).map_err(|error| unreadable(&path, &text, &error))?;
        config = config.file(file);
    }
    Ok(config.environment(env::vars_os()).build()?)
}

/// Where and why a file is no TOML. The error's own text quotes the line, which may hold a secret.
fn unreadable(path: &Path, text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    format!("{}:{line}: {}", path.display(), error.message())
}
