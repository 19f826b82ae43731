//! Millions of keys, reloads and requests, and the exact arithmetic that the numbers are compared with.

use std::path::Path;

use super::program::{build, lines};
use crate::suite::Failure;

const PROGRAM: &str = "flood/target/release/flood";

/// The exact arithmetic of the tests, for longer.
pub(super) fn oracle() -> Result<Vec<String>, Failure> {
    build("flood")?;
    lines(Path::new(PROGRAM), &["oracle"])
}

pub(super) fn run() -> Result<Vec<String>, Failure> {
    build("flood")?;
    let mut covered = Vec::new();
    for flood in ["keys", "reload", "api"] {
        covered.extend(lines(Path::new(PROGRAM), &[flood])?);
    }
    Ok(covered)
}
