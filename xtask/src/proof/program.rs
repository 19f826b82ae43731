//! Programs of the proof, and what they print.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::suite::{Failure, cargo};

/// Builds the programs of a package outside of this workspace.
pub(super) fn build(package: &str) -> Result<(), Failure> {
    let manifest = format!("build --release --manifest-path {package}/Cargo.toml --bins");
    cargo(&manifest).output().map(drop)
}

/// Runs a program that says on its standard output what it covered, a line for each thing.
pub(super) fn lines(program: &Path, arguments: &[&str]) -> Result<Vec<String>, Failure> {
    let name = program.display();
    let output = Command::new(program).args(arguments).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| Failure(format!("{name} cannot start: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(str::to_owned).collect();
    if output.status.success() {
        Ok(lines)
    } else {
        Err(Failure(format!("{text}{name} {} failed: {}", arguments.join(" "), output.status)))
    }
}

/// A number that stands behind a text.
pub(super) fn number_after(text: &str, label: &str) -> Option<u64> {
    let (_, rest) = text.rsplit_once(label)?;
    let digits = rest.trim_start();
    let end = digits.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::number_after;

    #[test]
    fn a_number_is_read_behind_its_label_and_nowhere_else() {
        assert_eq!(number_after("a: held in 12 orders, 3s", "held in "), Some(12));
        assert_eq!(number_after("units:   7\n", "units:"), Some(7));
        assert_eq!(number_after("cov: 1\ncov: 2", "cov:"), Some(2));
        assert_eq!(number_after("held in some orders", "held in "), None);
        assert_eq!(number_after("", "held in "), None);
    }
}
