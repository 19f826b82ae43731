//! Runs commands one after another, says what it runs and how long it took, and stops at the first
//! failure.

use std::fmt;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Why a suite stopped; the text is for the terminal.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

/// A cargo command of the suite.
pub(crate) struct Cargo {
    arguments: String,
    environment: Vec<(&'static str, String)>,
}

/// `cargo` with these arguments, which are parted at spaces.
pub(crate) fn cargo(arguments: &str) -> Cargo {
    Cargo { arguments: arguments.to_owned(), environment: Vec::new() }
}

impl Cargo {
    /// Sets a variable for this command alone.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.environment.push((name, value.into()));
        self
    }

    /// Whether the command succeeds; its output is dropped.
    pub(crate) fn is_available(&self) -> bool {
        let status = self.command().stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    /// What the command writes to its standard output.
    pub(crate) fn output(&self) -> Result<Vec<u8>, Failure> {
        let output = self.command().stderr(Stdio::inherit()).output();
        let output = output.map_err(|error| Failure(format!("`{self}` cannot start: {error}")))?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(Failure(format!("`{self}` failed: {}", output.status)))
        }
    }

    fn command(&self) -> Command {
        // Cargo names itself to what it runs, so that a toolchain chosen with `+` stays chosen.
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(self.arguments.split_whitespace());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl fmt::Display for Cargo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.environment {
            write!(f, "{name}='{value}' ")?;
        }
        write!(f, "cargo {}", self.arguments.trim_end())
    }
}

/// A run of several commands.
pub(crate) struct Suite {
    started: Instant,
    passed: usize,
    skipped: Vec<&'static str>,
}

impl Suite {
    pub(crate) fn start() -> Self {
        Self { started: now(), passed: 0, skipped: Vec::new() }
    }

    /// Runs one command; what it prints goes to the terminal.
    pub(crate) fn run(&mut self, command: &Cargo) -> Result<(), Failure> {
        let name = command.to_string();
        self.check(&name, || match command.command().status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Failure(format!("`{name}` failed: {status}"))),
            Err(error) => Err(Failure(format!("`{name}` cannot start: {error}"))),
        })
    }

    /// Runs one check of our own.
    pub(crate) fn check(
        &mut self,
        name: &str,
        check: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        eprintln!("\n==> {name}");
        let started = now();
        check()?;
        self.passed += 1;
        eprintln!("<== {} {name}", seconds(started.elapsed()));
        Ok(())
    }

    /// Says loudly that a step is left out.
    pub(crate) fn skip(&mut self, name: &'static str, reason: &str) {
        eprintln!("\n==> {name}\n<== SKIPPED: {reason}");
        self.skipped.push(name);
    }

    /// The last line of the run.
    pub(crate) fn finish(self, result: Result<(), Failure>) -> ExitCode {
        let time = seconds(self.started.elapsed());
        let skipped = match self.skipped.as_slice() {
            [] => String::new(),
            skipped => format!(", skipped: {}", skipped.join(", ")),
        };
        match result {
            Ok(()) => {
                eprintln!("\nxtask: passed in {time}; steps: {}{skipped}", self.passed);
                ExitCode::SUCCESS
            }
            Err(Failure(text)) => {
                eprintln!("\nxtask: {text}");
                eprintln!(
                    "xtask: stopped after {time}; steps passed before: {}{skipped}",
                    self.passed
                );
                ExitCode::FAILURE
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "measures commands; no limiter is near")]
fn now() -> Instant {
    Instant::now()
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
