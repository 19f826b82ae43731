//! The servers that the tests of the clustered store need, installed where that is allowed.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::suite::Failure;

/// Tests fail instead of leaving a server out when this is set.
pub(crate) const REQUIRED: (&str, &str) = ("TOLLGATE_REQUIRE_SERVERS", "1");

const PROGRAMS: [&str; 2] = ["redis-server", "valkey-server"];

/// Debian 12 has Valkey in its backports alone.
const BACKPORTS: &str = "/etc/apt/sources.list.d/tollgate-backports.list";
const BACKPORTS_SOURCE: &str = "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] MIRROR bookworm-backports main\n";

/// Makes sure that both servers are installed.
pub(crate) fn install() -> Result<(), Failure> {
    if PROGRAMS.iter().all(|program| succeeds(Command::new(program).arg("--version"))) {
        return Ok(());
    }
    if !is_root() || !succeeds(Command::new("apt-get").arg("--version")) {
        return Err(Failure(
            "redis-server and valkey-server are needed; type\n  sudo apt-get install --no-install-recommends redis-server valkey-server"
                .to_owned(),
        ));
    }
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    if release.contains("VERSION_CODENAME=bookworm") && !Path::new(BACKPORTS).exists() {
        fs::write(BACKPORTS, BACKPORTS_SOURCE)
            .map_err(|error| Failure(format!("{BACKPORTS} cannot be written: {error}")))?;
    }
    apt(&["update", "--quiet"])?;
    let mut install = vec!["install", "--quiet", "--yes", "--no-install-recommends"];
    install.extend(PROGRAMS);
    apt(&install)
}

fn apt(arguments: &[&str]) -> Result<(), Failure> {
    let mut command = Command::new("apt-get");
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    eprintln!("apt-get {}", arguments.join(" "));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure(format!("apt-get failed: {status}"))),
        Err(error) => Err(Failure(format!("apt-get cannot start: {error}"))),
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout == b"0\n")
}

fn succeeds(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
