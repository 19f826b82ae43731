//! The table of buckets through every order of its steps.

use std::path::Path;

use super::program::{build, lines, number_after};
use crate::suite::Failure;

pub(super) fn run() -> Result<Vec<String>, Failure> {
    build("models")?;
    let lines = lines(Path::new("models/target/release/tollgate-models"), &[])?;
    let orders: Vec<u64> = lines.iter().filter_map(|line| number_after(line, "held in ")).collect();
    let total: u64 = orders.iter().sum();
    Ok(vec![format!("{} laws held in all {total} orders of their steps", orders.len())])
}
