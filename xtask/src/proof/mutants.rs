//! Mutants of the arithmetic, the table and the client's address, each of which some test must fail.
//!
//! `.cargo/mutants.toml` says which need not, and why.

use std::fs;
use std::path::Path;

use crate::suite::{Failure, cargo};

/// What is changed.
const FILES: [&str; 8] = [
    "src/bucket/level.rs",
    "src/bucket/mod.rs",
    "src/bucket/scale.rs",
    "src/http/client_ip.rs",
    "src/http/client_ip/hop.rs",
    "src/store/local/policy.rs",
    "src/store/local/slot.rs",
    "src/store/local/table.rs",
];

/// The tests that mutants meet, and which of them, the quickest to build first; what these let live meets the next.
const TESTS: [(&str, &str); 2] =
    [("--lib", "bucket client_ip conformance engine store"), ("--test=engine", "")];

/// Where the results of one run lie.
const OUTPUT: &str = "target/mutants";

pub(super) fn run() -> Result<Vec<String>, Failure> {
    if !cargo("mutants --version").is_available() {
        cargo("install --locked cargo-mutants").output()?;
    }
    let fail = |error| Failure(format!("{OUTPUT} cannot be made anew: {error}"));
    if Path::new(OUTPUT).exists() {
        fs::remove_dir_all(OUTPUT).map_err(fail)?;
    }
    fs::create_dir_all(OUTPUT).map_err(fail)?;
    let files = FILES.join(" --file ");
    let mut outcome = Ok(Vec::new());
    let (mut caught, mut unviable) = (0, 0);
    for (target, tests) in TESTS {
        let mutants = cargo(&format!(
            "mutants --package tollgate --iterate --jobs 2 --colors never --no-default-features \
             --features gate --output {OUTPUT} --file {files} --cargo-arg={target} -- -- {tests}"
        ));
        outcome = mutants.output();
        caught += count("caught");
        unviable += count("unviable");
        if outcome.is_ok() {
            break;
        }
    }
    let (missed, endless) = (count("missed"), count("timeout"));
    let tried = caught + missed + endless;
    match outcome {
        Ok(_) => Ok(vec![format!(
            "{tried} mutants of {} files: {caught} fail a test, {endless} never end; {unviable} more do not compile",
            FILES.len()
        )]),
        Err(Failure(text)) => Err(Failure(format!(
            "{text}; of {tried} mutants {missed} survive and {endless} never end, see {OUTPUT}/mutants.out"
        ))),
    }
}

/// How many mutants a list has.
fn count(list: &str) -> usize {
    let text = fs::read_to_string(format!("{OUTPUT}/mutants.out/{list}.txt"));
    text.map_or(0, |text| text.lines().count())
}
