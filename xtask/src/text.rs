//! What no tracked file may contain: typographic dashes and paths of somebody's machine.

use std::path::Path;
use std::process::Command;

use crate::suite::Failure;

const DASHES: [char; 2] = ['\u{2013}', '\u{2014}'];

/// Folders at the root of a machine under which people keep their checkouts.
const HOMES: [&str; 4] = ["home", "root", "Users", "work"];

/// A file that git tracks.
pub(crate) struct Tracked {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Every tracked file that is text. One that is deleted and not yet committed has no lines to look at.
pub(crate) fn tracked() -> Result<Vec<Tracked>, Failure> {
    let output = Command::new("git").args(["ls-files", "-z"]).output();
    let output = output.map_err(|error| Failure(format!("git ls-files cannot start: {error}")))?;
    if !output.status.success() {
        return Err(Failure(format!("git ls-files failed: {}", output.status)));
    }
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let files = names.filter_map(|name| {
        let name = String::from_utf8_lossy(name).into_owned();
        let text = std::fs::read_to_string(Path::new(&name)).ok()?;
        Some(Tracked { name, text })
    });
    Ok(files.collect())
}

/// Looks through every file that git tracks.
pub(crate) fn check() -> Result<(), Failure> {
    let mut faults = Vec::new();
    for Tracked { name, text } in tracked()? {
        faults.extend(
            faults_of(&text).into_iter().map(|(line, fault)| format!("{name}:{line}: {fault}")),
        );
    }
    if faults.is_empty() { Ok(()) } else { Err(Failure(faults.join("\n"))) }
}

fn faults_of(text: &str) -> Vec<(usize, String)> {
    let mut faults = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.contains(DASHES) {
            faults.push((
                index + 1,
                "an en or em dash; use a comma, a colon or a new sentence".into(),
            ));
        }
        for home in HOMES {
            if has_path_under(line, home) {
                faults
                    .push((index + 1, format!("a path under /{home}, which is one machine's own")));
            }
        }
    }
    faults
}

/// Whether a path of that folder starts somewhere in the line; one that is longer on its left, as in
/// a URL, is none.
fn has_path_under(line: &str, home: &str) -> bool {
    line.match_indices(&format!("/{home}/")).any(|(start, _)| {
        let before = line.get(..start).and_then(|before| before.chars().next_back());
        before.is_none_or(|before| !before.is_alphanumeric() && !"._-}~/".contains(before))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_dashes_are_found_with_their_lines() {
        let lines: Vec<usize> =
            faults_of("good-\nbad \u{2013}\nbad \u{2014}\n").iter().map(|fault| fault.0).collect();
        assert_eq!(lines, [2, 3]);
    }

    #[test]
    fn a_path_under_a_home_is_found_and_a_url_is_not() {
        for home in HOMES {
            assert!(has_path_under(&format!("see /{home}/me/file"), home));
            assert!(has_path_under(&format!("/{home}/me"), home));
            assert!(!has_path_under(&format!("https://example.org/{home}/page"), home));
            assert!(!has_path_under(&format!("./{home}/page"), home));
        }
    }
}
