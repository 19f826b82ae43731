//! The table of faults in `docs/security.md`: every row is there, and names tests that exist.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::suite::Failure;

/// Where the table stands.
const PAGE: &str = "docs/security.md";

/// The faults that are known of other limiters.
const ROWS: usize = 34;

/// Reads the table and the tests that it names.
pub(crate) fn check() -> Result<(), Failure> {
    let page = fs::read_to_string(PAGE)
        .map_err(|error| Failure(format!("{PAGE} cannot be read: {error}")))?;
    let folder = Path::new(PAGE).parent().unwrap_or(Path::new(""));
    let faults = faults_of(&page, |file| fs::read_to_string(plain(&folder.join(file))).ok());
    if faults.is_empty() { Ok(()) } else { Err(Failure(faults.join("\n"))) }
}

/// What is wrong with the table; `read` gives the text of a file that a link of the page names.
fn faults_of(page: &str, read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut expected = 1;
    for (index, line) in page.lines().enumerate() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let ["", number, _symptom, tests, why, ""] = cells.as_slice() else { continue };
        let Ok(number) = number.parse::<usize>() else { continue };
        let place = format!("{PAGE}:{}", index + 1);
        if number != expected {
            faults.push(format!("{place}: fault {number} stands where {expected} should"));
        }
        expected = number + 1;
        if why.is_empty() {
            faults.push(format!("{place}: fault {number} does not say why it cannot happen"));
        }
        let tests = links(tests);
        if tests.is_empty() {
            faults.push(format!("{place}: fault {number} names no test"));
        }
        for (name, file) in tests {
            match read(file) {
                None => faults.push(format!("{place}: there is no {file}")),
                Some(text) if !has_test(&text, name) => {
                    faults.push(format!("{place}: {file} has no test `{name}`"));
                }
                Some(_) => {}
            }
        }
    }
    if expected != ROWS + 1 {
        faults.push(format!("{PAGE}: the table ends at fault {}, not at {ROWS}", expected - 1));
    }
    faults
}

/// Each ``[`name`](file)`` of a cell.
fn links(cell: &str) -> Vec<(&str, &str)> {
    let links = cell.split("[`").skip(1);
    links.filter_map(|link| link.split_once(')')?.0.split_once("`](")).collect()
}

/// Whether a file has a test of this name, alone or inside of `proptest!`.
fn has_test(text: &str, name: &str) -> bool {
    let function = format!("fn {name}(");
    // Without the function, these are all lines, and no file ends with an attribute.
    let before: Vec<&str> = text.lines().take_while(|line| !line.contains(&function)).collect();
    let attributes = before.iter().rev().map(|line| line.trim());
    attributes.take_while(|line| line.starts_with("#[")).any(|line| {
        matches!(line, "#[test]" | "#[tokio::test]") || line.starts_with("#[tokio::test(")
    })
}

/// The path without its steps back.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(last: usize, tests: &str, why: &str) -> String {
        let row = |number| format!("| {number} | symptom | {tests} | {why} |\n");
        format!(
            "| # | Symptom | Test | Why |\n|---|---|---|---|\n{}",
            (1..=last).map(row).collect::<String>()
        )
    }

    fn read(file: &str) -> Option<String> {
        (file == "../a.rs").then(|| "#[test]\nfn held() {}\n\nfn helper() {}\n".to_owned())
    }

    #[test]
    fn a_whole_table_whose_tests_exist_has_no_faults() {
        let page = page(ROWS, "[`held`](../a.rs), [`held`](../a.rs)", "because");
        assert_eq!(faults_of(&page, read), Vec::<String>::new());
    }

    #[test]
    fn a_missing_row_a_missing_test_and_a_missing_reason_are_told() {
        let first = |page: &str| faults_of(page, read).remove(0);
        let held = "[`held`](../a.rs)";
        assert_eq!(
            first(&page(ROWS - 1, held, "because")),
            "docs/security.md: the table ends at fault 33, not at 34"
        );
        assert_eq!(
            first(&page(ROWS, held, "")),
            "docs/security.md:3: fault 1 does not say why it cannot happen"
        );
        assert_eq!(
            first(&page(ROWS, "none", "because")),
            "docs/security.md:3: fault 1 names no test"
        );
        assert_eq!(
            first(&page(ROWS, "[`held`](../b.rs)", "because")),
            "docs/security.md:3: there is no ../b.rs"
        );
        for name in ["hel", "helper"] {
            assert_eq!(
                first(&page(ROWS, &format!("[`{name}`](../a.rs)"), "because")),
                format!("docs/security.md:3: ../a.rs has no test `{name}`")
            );
        }
    }
}
