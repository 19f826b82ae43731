//! Each folder of `broken/` is a catalogue with one mistake (`ten` has ten), given as the files that
//! differ from `base/`, and the messages that it deserves.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use tollgate_codegen::Spec;

fn spec() -> Spec {
    Spec::new().chapter("chapter.md").actions("actions.yaml")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken")
}

/// The text of a file of a case, or that of the base.
fn text(case: &Path, file: &str) -> String {
    let own = case.join(file);
    let path = if own.exists() { own } else { folder().join("base").join(file) };
    fs::read_to_string(path).expect("a case and the base are text")
}

/// The messages, a line each.
fn check(case: &Path) -> String {
    match spec().check(&text(case, "chapter.md"), &text(case, "actions.yaml")) {
        Ok(_) => String::new(),
        Err(problems) => {
            let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
            lines.join("\n") + "\n"
        }
    }
}

#[test]
fn the_base_is_sound() {
    assert_eq!(check(&folder().join("base")), "");
}

#[test]
fn every_mistake_is_named_with_its_place() {
    let mut wrong = String::new();
    let mut cases = 0;
    for case in fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()) {
        if case.ends_with("base") {
            continue;
        }
        cases += 1;
        let name = case.file_name().unwrap().to_string_lossy();
        let expected = fs::read_to_string(case.join("expected.txt")).unwrap();
        let found = check(&case);
        if found != expected {
            writeln!(wrong, "{name}\n  expected:\n{expected}  found:\n{found}").unwrap();
        }
    }
    assert!(cases > 60, "only {cases} cases were found");
    assert!(wrong.is_empty(), "\n{wrong}");
}
