//! The servers that the tests of the clustered store need, installed where that is allowed.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::suite::Failure;

/// Tests fail instead of leaving a server out when this is set.
pub(crate) const REQUIRED: (&str, &str) = ("TOLLGATE_REQUIRE_SERVERS", "1");

const PROGRAMS: [&str; 2] = ["redis-server", "valkey-server"];

/// Debian 12 has Valkey in its backports alone.
const RELEASE: &str = "bookworm";
const BACKPORTS: &str = "/etc/apt/sources.list.d/tollgate-backports.sources";

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
    if release.contains(&format!("VERSION_CODENAME={RELEASE}")) && !Path::new(BACKPORTS).exists() {
        fs::write(BACKPORTS, backports(&mirror()?))
            .map_err(|error| Failure(format!("{BACKPORTS} cannot be written: {error}")))?;
    }
    apt(&["update", "--quiet"])?;
    let mut install = vec!["install", "--quiet", "--yes", "--no-install-recommends"];
    install.extend(PROGRAMS);
    apt(&install)
}

/// Where this machine gets the release itself from; its backports stand beside it.
fn mirror() -> Result<String, Failure> {
    let format = "$(RELEASE) $(REPO_URI)";
    let output = Command::new("apt-get").args(["indextargets", "--format", format]).output();
    let output = output.map_err(|error| Failure(format!("apt-get cannot start: {error}")))?;
    let targets = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut mirrors = targets.lines().filter_map(|target| target.split_once(' '));
    let mirror = mirrors.find(|(release, _)| *release == RELEASE);
    mirror.map(|(_, uri)| uri.to_owned()).ok_or_else(|| {
        Failure(format!("apt knows no mirror of {RELEASE}, so its backports cannot be added"))
    })
}

fn backports(mirror: &str) -> String {
    format!(
        "Types: deb\nURIs: {mirror}\nSuites: {RELEASE}-backports\nComponents: main\n\
         Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
    )
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
