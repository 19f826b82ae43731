//! `cargo xtask proof`: what looks further than the tests and takes minutes, each part with what it covered.

mod flood;
mod fuzz;
mod models;
mod mutants;
mod program;

use crate::suite::{Failure, Suite};

/// Runs one part, and says what it covered.
type Part = fn() -> Result<Vec<String>, Failure>;

/// The parts, the short ones first.
const PARTS: [(&str, Part); 5] = [
    ("oracle", flood::oracle),
    ("models", models::run),
    ("flood", flood::run),
    ("fuzz", fuzz::run),
    ("mutants", mutants::run),
];

/// Runs the part of this name, or all.
pub(crate) fn run(suite: &mut Suite, chosen: Option<&str>) -> Result<(), Failure> {
    let names = PARTS.map(|(name, _)| name);
    if let Some(unknown) = chosen.filter(|chosen| !names.contains(chosen)) {
        return Err(Failure(format!(
            "there is no part `{unknown}`; there are {}",
            names.join(", ")
        )));
    }
    let mut covered = Vec::new();
    for (name, part) in PARTS {
        if chosen.is_none_or(|chosen| chosen == name) {
            suite.check(name, || {
                let lines = part()?;
                covered.extend(lines.into_iter().map(|line| format!("{name}: {line}")));
                Ok(())
            })?;
        }
    }
    eprintln!("\nproof:\n{}", covered.join("\n"));
    Ok(())
}
