//! The laws of `fuzz/`: each over its seeds, and then over what a fuzzer makes of them.
//!
//! The fuzzer is LLVM's, which needs no more than a stable compiler and a C++ compiler.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::program::number_after;
use crate::suite::{Failure, cargo};

/// For each law, after its seeds.
const SECONDS: u64 = 20;

/// Counts what is executed and shows what is compared to the fuzzer, in the code and in its dependencies.
const INSTRUMENTED: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

pub(super) fn run() -> Result<Vec<String>, Failure> {
    let host = host()?;
    // Naming the target keeps the flags away from build scripts.
    let build = format!("build --release --manifest-path fuzz/Cargo.toml --bins --target {host}");
    cargo(&build).env("RUSTFLAGS", INSTRUMENTED).output()?;
    let seeds = fs::read_dir("fuzz/seeds");
    let seeds = seeds.map_err(|error| Failure(format!("fuzz/seeds cannot be read: {error}")))?;
    let mut laws: Vec<String> =
        seeds.flatten().map(|law| law.file_name().to_string_lossy().into_owned()).collect();
    laws.sort();
    laws.iter().map(|law| fuzz(&host, law)).collect()
}

/// Fuzzes one law. What is found stays in `fuzz/corpus`, where the next run begins.
fn fuzz(host: &str, law: &str) -> Result<String, Failure> {
    let (seeds, corpus) = (format!("fuzz/seeds/{law}"), format!("fuzz/corpus/{law}"));
    let artifacts = format!("fuzz/artifacts/{law}/");
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder)
            .map_err(|error| Failure(format!("{folder} cannot be made: {error}")))?;
    }
    let program = format!("fuzz/target/{host}/release/{law}");
    let output = Command::new(Path::new(&program))
        .args([&corpus, &seeds, &format!("-artifact_prefix={artifacts}")])
        .arg(format!("-max_total_time={SECONDS}"))
        .args(["-seed=1", "-max_len=2000", "-timeout=20", "-print_final_stats=1"])
        .output();
    let output = output.map_err(|error| Failure(format!("{program} cannot start: {error}")))?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(Failure(format!(
            "{log}\nthe law `{law}` does not hold; the case is in {artifacts} and belongs into {seeds}"
        )));
    }
    let number = |label| number_after(&log, label).unwrap_or_default();
    let kept = fs::read_dir(&seeds).map(Iterator::count).unwrap_or_default();
    Ok(format!(
        "{law} held for {kept} seeds and {} executions that reached {} places in the code",
        number("stat::number_of_executed_units:"),
        number("cov:")
    ))
}

/// The target that this compiler builds for by itself.
fn host() -> Result<String, Failure> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output();
    let output = output.map_err(|error| Failure(format!("rustc cannot start: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure("rustc -vV names no host".to_owned()))
}
