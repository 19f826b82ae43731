//! `tollgate check`.

mod damage;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::{ACTIONS, CLASSES, Folder, answer, repository, tollgate};

fn broken() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken")
}

/// Each folder of `broken/` is a catalogue with a fault of one kind, and what is said of it.
#[test]
fn each_fault_is_shown_in_its_line_with_carets() {
    let mut wrong = String::new();
    let mut cases = 0;
    for entry in fs::read_dir(broken()).unwrap() {
        let case = entry.unwrap().file_name().into_string().unwrap();
        let expected = fs::read_to_string(broken().join(&case).join("expected.txt")).unwrap();
        let (code, shown, trouble) = answer(tollgate(broken()).args(["check", &case]));
        cases += 1;
        if (code, shown.as_str(), trouble.as_str()) != (1, expected.as_str(), "") {
            writeln!(wrong, "{case}: code {code}\n{expected}---\n{shown}{trouble}").unwrap();
        }
    }
    assert!(cases >= 10, "only {cases} cases were found");
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn a_sound_catalogue_is_counted() {
    let (code, shown, trouble) = answer(tollgate(repository()).args(["check", "spec/"]));
    assert_eq!((code, trouble.as_str()), (0, ""));
    let (_, inside, _) = answer(tollgate(repository().join("spec")).args(["check", "."]));
    assert_eq!(inside, shown.replace("spec/", ""));
    assert!(
        shown.starts_with("spec/05-actions.md and spec/actions.yaml: 17 classes and ")
            && shown.ends_with(" actions, nothing wrong\n"),
        "{shown}"
    );
}

#[test]
fn json_has_every_problem_with_the_places_of_its_text() {
    let (code, shown, trouble) =
        answer(tollgate(broken()).args(["check", "key-kind", "--format", "json"]));
    assert_eq!((code, trouble.as_str()), (1, ""));
    let parsed: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let expected = json!({"problems": [{
        "file": "key-kind/05-actions.md",
        "line": 7,
        "column": 13,
        "end_line": 7,
        "end_column": 22,
        "message": "unknown key kind `principle`; did you mean `principal`?",
    }]});
    assert_eq!(parsed, expected);

    let (code, shown, _) = answer(tollgate(repository()).args(["check", "--format", "json"]));
    assert_eq!((code, shown.as_str()), (0, "{\"problems\":[]}\n"));
}

#[test]
fn annotations_escape_what_github_would_take_for_syntax() {
    let folder = Folder::new("check-github");
    let actions = ACTIONS.replace("GET /messages\n", "GET /mess%zzages\n");
    folder.catalogue("a,b:c", CLASSES, &actions);
    let (code, shown, _) = answer(tollgate(&folder.0).args(["check", "a,b:c", "--format=github"]));
    assert_eq!(code, 1);
    assert_eq!(
        shown,
        "::error file=a%2Cb%3Ac/actions.yaml,line=4,col=14,endColumn=29,title=Rate-limit \
         catalogue::path `/mess%25zzages` has the segment `mess%25zzages`, in which something is not \
         allowed in a path; percent-encode it\n"
    );
}

#[test]
fn the_words_of_a_catalogue_are_the_users() {
    let folder = Folder::new("check-words");
    folder.write(
        "doc/limits.md",
        "# Quotas\n\n| Quota | Key | Rate | Burst | Surface | Reserved | Used for |\n\
         |---|---|---|---|---|---|---|\n| read | tenant | 6 | 2 | rest | yes | |\n",
    );
    folder.write("doc/calls.yaml", "");
    let words =
        ["--chapter=limits.md", "--actions=calls.yaml", "--heading=Quotas", "--class-prefix="];
    let columns = ["--column=class=Quota", "--column=per-minute=Rate"];
    let (code, shown, trouble) =
        answer(tollgate(&folder.0).args(["check", "doc"]).args(words).args(columns));
    assert_eq!(
        (code, shown.as_str(), trouble.as_str()),
        (0, "doc/limits.md and doc/calls.yaml: 1 class and 0 actions, nothing wrong\n", "")
    );
}

#[test]
fn colours_are_for_terminals_and_for_whoever_insists() {
    let coloured = |arguments: &[&str], variable: Option<(&str, &str)>| {
        let mut command = tollgate(broken());
        command.args(["check", "key-kind"]).args(arguments).envs(variable);
        answer(&mut command).1.contains('\u{1b}')
    };
    assert!(!coloured(&[], None));
    assert!(coloured(&["--color=always"], None));
    assert!(coloured(&[], Some(("CLICOLOR_FORCE", "1"))));
    assert!(!coloured(&["--color=never"], Some(("CLICOLOR_FORCE", "1"))));
}
