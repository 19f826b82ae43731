//! Real servers for tests, each on a free port of the loopback interface with its files in a folder of its own.
//!
//! A [`Server`] ends when it is dropped, so also when its test panics. A test that needs one starts with
//! [`installed`], which says what is left out where no server is installed.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Far more than a server or a condition needs; a test that waits so long has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// With this variable a missing server fails the tests instead of leaving them out.
const REQUIRED: &str = "TOLLGATE_REQUIRE_SERVERS";

const PROGRAMS: [&str; 2] = ["redis-server", "valkey-server"];

/// A running `redis-server` or `valkey-server`.
pub(crate) struct Server {
    program: &'static str,
    child: Child,
    port: u16,
    folder: PathBuf,
    options: Vec<String>,
}

/// The servers that are installed. Of those that are not, `subject` is left out, and that is said.
pub(crate) fn installed(subject: &str) -> Vec<&'static str> {
    let is_installed = |program: &&str| {
        let version = Command::new(program).arg("--version").stdout(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    let (present, missing): (Vec<&str>, Vec<&str>) = PROGRAMS.into_iter().partition(is_installed);
    for program in missing {
        let text = format!("{program} is not installed; install it, or run `cargo xtask test`");
        assert!(std::env::var_os(REQUIRED).is_none(), "{text}");
        // Written past the capture of the test harness, which would swallow it.
        let _ = writeln!(std::io::stderr().lock(), "LEFT OUT: {subject} on {program}: {text}");
    }
    present
}

impl Server {
    /// Starts a server with these lines of configuration, and waits until it answers.
    pub(crate) fn start(program: &'static str, options: &[&str]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("tollgate-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        // Another process may take the port between finding and using it.
        for _ in 0..5 {
            let port = free_port();
            if let Some(child) = spawn(program, port, &folder, &options) {
                return Self { program, child, port, folder, options };
            }
        }
        panic!("{program} does not start with {options:?}; its log is in {}", folder.display());
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// What one of the lines it was started with says.
    pub(crate) fn option(&self, name: &str) -> &str {
        self.options.iter().find_map(|line| line.strip_prefix(name)).unwrap().trim_start()
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// A connection for what a test does beside the limiter.
    pub(crate) fn connection(&self) -> redis::Connection {
        redis::Client::open(self.url()).unwrap().get_connection_with_timeout(PATIENCE).unwrap()
    }

    /// Ends the process at once, as a crash would; what it held is gone.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again on the same port, empty.
    pub(crate) fn restart(&mut self) {
        let child = spawn(self.program, self.port, &self.folder, &self.options);
        self.child = child.expect("the port is still free");
    }

    /// Freezes the process: it keeps its connections and answers nothing.
    pub(crate) fn freeze(&self) {
        self.signal("-STOP");
    }

    pub(crate) fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails when the test has ended it already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// `None` when the process ends before it is ready.
fn spawn(program: &str, port: u16, folder: &Path, options: &[String]) -> Option<Child> {
    let mut lines = vec![
        "bind 127.0.0.1".to_owned(),
        format!("port {port}"),
        format!("dir {}", folder.display()),
        "save \"\"".to_owned(),
        "appendonly no".to_owned(),
    ];
    lines.extend(
        options.iter().map(|option| option.replace("{folder}", &folder.display().to_string())),
    );
    let file = folder.join("server.conf");
    fs::write(&file, lines.join("\n")).unwrap();
    let mut command = Command::new(program);
    command.arg(&file).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let (ready, is_ready) = mpsc::channel();
    // Reads on after that, or a full pipe would stop the server.
    std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            if line.contains("Ready to accept connections") {
                let _ = ready.send(());
            }
        }
    });
    if is_ready.recv_timeout(PATIENCE).is_ok() {
        return Some(child);
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

/// A port that was free a moment ago, with the port of its cluster bus.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
