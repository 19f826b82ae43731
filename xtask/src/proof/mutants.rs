//! Mutants of the arithmetic, the table and the client's address, each of which some test must fail.
//!
//! `.cargo/mutants.toml` says which need not, and why.

use std::fs;

use crate::suite::{Failure, cargo};

/// Files, the features that they need, and the tests that their mutants meet: a few that are built in seconds.
const GROUPS: [(&str, &str, &str); 2] = [
    ("src/http/client_ip.rs,src/http/client_ip/hop.rs", "gate", "--lib http::client_ip"),
    (
        "src/bucket.rs,src/store/local/policy.rs,src/store/local/slot.rs,src/store/local/table.rs",
        "",
        "--lib --test engine",
    ),
];

pub(super) fn run() -> Result<Vec<String>, Failure> {
    if !cargo("mutants --version").is_available() {
        cargo("install --locked cargo-mutants").output()?;
    }
    GROUPS.iter().map(|(files, features, tests)| group(files, features, tests)).collect()
}

fn group(files: &str, features: &str, tests: &str) -> Result<String, Failure> {
    let chosen = files.replace(',', " --file ");
    let output = format!("target/mutants/{}", if features.is_empty() { "core" } else { features });
    fs::create_dir_all(&output)
        .map_err(|error| Failure(format!("{output} cannot be made: {error}")))?;
    let command = format!(
        "mutants --package tollgate --jobs 2 --colors never --no-default-features \
         --features={features} --output {output} --file {chosen} -- {tests}"
    );
    let result = cargo(&command).output();
    let count = |file: &str| {
        let text = fs::read_to_string(format!("{output}/mutants.out/{file}.txt"));
        text.map_or(0, |text| text.lines().count())
    };
    let (caught, missed) = (count("caught"), count("missed"));
    let (timeout, unviable) = (count("timeout"), count("unviable"));
    let tried = caught + missed + timeout;
    result.map_err(|Failure(text)| {
        Failure(format!(
            "{text}; {missed} of {tried} mutants survive, see {output}/mutants.out/missed.txt"
        ))
    })?;
    Ok(format!(
        "{tried} mutants of {files}: {caught} fail a test, {timeout} never end, {missed} survive; {unviable} more do not compile"
    ))
}
