//! Files that cannot be read as text.

use std::fs;
use std::path::{Path, PathBuf};

use tollgate_codegen::Spec;

const CHAPTER: &str = "\
## Rate-limit classes
| Class | Key | Per minute | Burst | Surface | Reserved | Used for |
|---|---|---|---|---|---|---|
| rl.read | principal | 600 | 120 | rest | yes | reading |
";

/// A package with these two files; `None` leaves one out.
fn package(name: &str, chapter: Option<&[u8]>, actions: Option<&[u8]>) -> PathBuf {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&package);
    fs::create_dir_all(package.join("spec")).expect("a folder can be made");
    for (file, text) in [("05-actions.md", chapter), ("actions.yaml", actions)] {
        if let Some(text) = text {
            fs::write(package.join("spec").join(file), text).expect("a file can be written");
        }
    }
    package
}

fn problems(package: &Path) -> Vec<String> {
    let problems = Spec::new().read(package).expect_err("the package is broken");
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn bytes_that_are_not_utf_8_are_named_and_the_other_file_is_still_checked() {
    let latin = CHAPTER.replace("reading", "caf\u{e9}s");
    let latin: Vec<u8> = latin.chars().map(|char| u8::try_from(char as u32).unwrap()).collect();
    let package = package("latin", Some(&latin), Some(b"- id: Read\n"));
    assert_eq!(
        problems(&package),
        [
            "spec/05-actions.md:4:53: byte 0xe9 is not UTF-8; save the file as UTF-8",
            "spec/actions.yaml:1:3: action `Read` has no `class`",
            "spec/actions.yaml:1:3: action `Read` has no `surface`",
            "spec/actions.yaml:1:7: action id `Read` is not made of words of `a` to `z`, `0` to `9` \
             and `_` that start with a letter and are separated by dots; write `read`",
        ]
    );
}

#[test]
fn a_missing_file_is_named_and_the_other_file_is_still_checked() {
    let chapter = CHAPTER.replace("600", "0");
    let package = package("missing", Some(chapter.as_bytes()), None);
    let problems = problems(&package);
    let [in_chapter, unread] = problems.as_slice() else { panic!("{problems:?}") };
    assert_eq!(
        in_chapter,
        "spec/05-actions.md:4:25: `Per minute` is `0`; it must be 1 to 600000000"
    );
    assert!(unread.starts_with("spec/actions.yaml:1:1: cannot be read: "), "{unread}");
}

#[test]
fn two_missing_files_are_two_problems() {
    let package = package("nothing", None, None);
    assert_eq!(problems(&package).len(), 2);
}

#[test]
fn outside_a_build_script_nothing_is_generated() {
    assert_eq!(Spec::new().build(), None);
}
