//! Misspellings in any tracked file, found in a list of the usual ones.
//!
//! A list of misspellings knows less than a dictionary, but does not have to be taught every name in the
//! code.

use crate::suite::Failure;
use crate::text::{self, Tracked};

/// Misspellings that tests and documents show on purpose.
const RIGHT: [&str; 6] = ["brwose", "capcity", "chekc", "exprot", "lits", "raed"];

/// Catalogues whose mistakes are what they are for, and what a fuzzer made of good ones.
const BROKEN: [&str; 2] = ["/tests/broken/", "fuzz/seeds/"];

/// Below this length most entries of the list are abbreviations.
const SHORTEST: usize = 4;

/// Looks through every word of every file that git tracks.
pub(crate) fn check() -> Result<(), Failure> {
    let mut faults = Vec::new();
    let files = text::tracked()?;
    let is_broken = |file: &&Tracked| BROKEN.iter().any(|folder| file.name.contains(folder));
    for Tracked { name, text } in files.iter().filter(|file| !is_broken(file)) {
        for (line, text) in text.lines().enumerate() {
            faults.extend(
                misspelt(text).map(|(word, right)| format!("{name}:{}: {word}: {right}", line + 1)),
            );
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Failure(faults.join("\n"))) }
}

/// The misspelt words of a line, each with what may be meant.
fn misspelt(line: &str) -> impl Iterator<Item = (&str, String)> {
    words(line).filter_map(|word| {
        if word.len() < SHORTEST || RIGHT.contains(&word.to_lowercase().as_str()) {
            return None;
        }
        let corrections = typos_dict::WORD.find(&word.into())?;
        Some((word, format!("write {}", corrections.join(" or "))))
    })
}

/// The words of prose and of identifiers: runs of letters, parted where a capital letter follows a small
/// one.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|char: char| !char.is_alphabetic()).flat_map(|run| {
        let mut parts = Vec::new();
        let mut start = 0;
        let mut after_small = false;
        for (at, char) in run.char_indices() {
            if after_small && char.is_uppercase() {
                parts.extend(run.get(start..at));
                start = at;
            }
            after_small = char.is_lowercase();
        }
        parts.extend(run.get(start..));
        parts
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_other_characters_and_before_capitals() {
        let found: Vec<&str> =
            words("fn per_minute(RateLimit, HTTPServer) // it's caf\u{e9}").collect();
        let found: Vec<&str> = found.into_iter().filter(|word| !word.is_empty()).collect();
        assert_eq!(
            found,
            ["fn", "per", "minute", "Rate", "Limit", "HTTPServer", "it", "s", "caf\u{e9}"]
        );
    }

    #[test]
    fn a_misspelling_is_found_in_prose_and_in_a_name() {
        // Written in two halves, since this file is looked through as well.
        let word = ["rec", "ieve"].concat();
        let line = format!("we {word}, {}Message", word.to_uppercase());
        let found: Vec<(&str, String)> = misspelt(&line).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0], (word.as_str(), "write receive".to_owned()));
        let name = format!("fn do_{word}_it()");
        assert_eq!(misspelt(&name).count(), 1);
    }
}
