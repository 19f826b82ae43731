//! Starts the real binary of the example and ends it when the test does.

use std::fs;
#[cfg(unix)]
use std::io::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

/// A running example, on a port of its own.
#[derive(Debug)]
pub(super) struct Server {
    process: Child,
    pub(super) address: SocketAddr,
    log: BufReader<ChildStderr>,
}

impl Server {
    /// Starts with the defaults of the catalogue.
    pub(super) fn start() -> Self {
        Self::spawn(&mut command())
    }

    /// Starts with a configuration file of this text; `name` is unique to the test.
    pub(super) fn start_with(name: &str, config: &str) -> Self {
        Self::spawn(command().env("TOLLGATE_CONFIG", config_file(name, config)))
    }

    /// Starts with `TOLLGATE_CONFIG` set to nothing.
    pub(super) fn start_with_an_empty_path() -> Self {
        Self::spawn(command().env("TOLLGATE_CONFIG", ""))
    }

    fn spawn(command: &mut Command) -> Self {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("the example starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("the output is a pipe");
        BufReader::new(output).read_line(&mut line).expect("the first line is text");
        let log = BufReader::new(process.stderr.take().expect("the log is a pipe"));
        let address = line.strip_prefix("listening on http://");
        let address = address.and_then(|rest| rest.strip_suffix('\n'));
        let address = address.unwrap_or_else(|| panic!("the first line was {line:?}"));
        Self { address: address.parse().expect("the address is one"), process, log }
    }

    /// Makes the server read a new configuration, and gives the line that it logs about it.
    #[cfg(unix)]
    pub(super) fn reload_with(&mut self, name: &str, config: &str) -> String {
        config_file(name, config);
        self.hang_up();
        self.log_of_reload()
    }

    /// Makes the server read a new configuration from a pipe, and waits until it has begun.
    #[cfg(unix)]
    pub(super) fn begin_reload_from_a_pipe(&self, name: &str) -> fs::File {
        let path = config_file(name, "");
        fs::remove_file(&path).expect("it has just been written");
        let status = Command::new("mkfifo").arg(&path).status();
        assert!(status.expect("there is a `mkfifo`").success());
        self.hang_up();
        // Whoever opens a pipe waits for the other end.
        fs::File::options().write(true).open(&path).expect("the pipe is there")
    }

    /// Gives the server all that it waits for, and gives the line that it logs about it.
    #[cfg(unix)]
    pub(super) fn end_reload(&mut self, mut reading: fs::File, config: &str) -> String {
        reading.write_all(config.as_bytes()).expect("the server reads");
        drop(reading);
        self.log_of_reload()
    }

    #[cfg(unix)]
    fn hang_up(&self) {
        let process = self.process.id().to_string();
        let status = Command::new("kill").args(["-HUP", &process]).status();
        assert!(status.expect("there is a `kill`").success());
    }

    #[cfg(unix)]
    fn log_of_reload(&mut self) -> String {
        let mut lines = self.log.by_ref().lines().map(|line| line.expect("the log is text"));
        lines.find(|line| line.contains("the limits")).expect("a reload is logged")
    }

    /// Ends the server and gives the rest of its log.
    pub(super) fn stop(mut self) -> String {
        let _ = self.process.kill();
        let mut log = String::new();
        self.log.read_to_string(&mut log).expect("the log is text");
        log
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A process that has ended by itself needs no end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs the example with a configuration that must stop its start.
pub(super) fn start_in_vain(name: &str, config: &str) -> Output {
    command()
        .env("TOLLGATE_CONFIG", config_file(name, config))
        .output()
        .expect("the example starts")
}

/// Runs the example where another one listens already.
pub(super) fn start_at_the_address_of(server: &Server) -> Output {
    let port = server.address.port().to_string();
    command().env("PORT", port).output().expect("the example starts")
}

fn config_file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.toml"));
    // A pipe of an earlier run would keep whoever writes to it waiting.
    let _ = fs::remove_file(&path);
    fs::write(&path, text).expect("the folder for tests can be written");
    path
}

fn command() -> Command {
    let mut command = Command::new(binary());
    command.env("PORT", "0").env_remove("TOLLGATE_CONFIG");
    command
}

/// The example as `cargo test` has built it, beside the tests.
///
/// `cargo test --test main` alone builds no examples; a missing or an old one is an error here, so
/// that nobody tests what he has not built.
fn binary() -> PathBuf {
    let tests = std::env::current_exe().expect("a test knows its own path");
    let examples = tests
        .parent()
        .and_then(|deps| deps.parent())
        .expect("tests lie in `deps`")
        .join("examples");
    let binary = examples.join(format!("api{}", std::env::consts::EXE_SUFFIX));
    let built = fs::metadata(&binary).and_then(|file| file.modified());
    let built =
        built.unwrap_or_else(|_| panic!("build the example first: cargo build --example api"));
    let inputs = fs::read_to_string(examples.join("api.d")).expect("cargo lists the inputs");
    for input in inputs.split_whitespace().skip(1) {
        let changed = fs::metadata(input).and_then(|file| file.modified());
        let is_old = changed.is_ok_and(|changed| changed > built);
        assert!(!is_old, "{input} is newer than the example: cargo build --example api");
    }
    binary
}
