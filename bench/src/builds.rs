//! What a clean build of a small limited application takes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The applications under `apps/`, ours first.
pub(crate) const APPS: [&str; 2] = ["tollgate", "tower_governor"];

/// The seconds of one build.
#[derive(Clone, Copy)]
pub(crate) struct Took {
    /// By the clock on the wall.
    pub(crate) wall: f64,
    /// Of all processors together, as Linux counts them.
    pub(crate) processors: f64,
}

/// Downloads what an application depends on, so that no build waits for a network.
pub(crate) fn fetch(app: &str) {
    cargo(app, "fetch", &[]);
}

/// Builds an application from nothing, without a network.
pub(crate) fn build(app: &str) -> Took {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/clean").join(app);
    let _ = fs::remove_dir_all(&target);
    let (started, before) = (Instant::now(), of_children());
    cargo(app, "build", &["--offline", "--target-dir", &target.to_string_lossy()]);
    let took = Took { wall: started.elapsed().as_secs_f64(), processors: of_children() - before };
    let _ = fs::remove_dir_all(&target);
    took
}

fn cargo(app: &str, command: &str, arguments: &[&str]) {
    let mut cargo = Command::new("cargo");
    cargo.args([command, "--quiet", "--manifest-path"]).arg(manifest(app));
    let status = cargo.args(arguments).status().expect("cargo has started this program");
    assert!(status.success(), "cargo {command} of {app} ends with {status}");
}

fn manifest(app: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "apps", app, "Cargo.toml"].iter().collect()
}

/// The processor seconds of all processes that this one has waited for.
fn of_children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("the bench measures on Linux");
    // The name, in parentheses, may hold anything; after it the fields are numbers.
    let (_, fields) = stat.rsplit_once(')').expect("the name has parentheses");
    // `cutime` and `cstime` (proc_pid_stat(5)), in hundredths of a second.
    let ticks: f64 = fields.split_whitespace().skip(13).take(2).flat_map(str::parse::<f64>).sum();
    ticks / 100.0
}
