//! The text that each problem is about.

use std::fs;
use std::path::Path;

use tollgate_codegen::{Problem, Spec};

const CHAPTER: &str = "chapter.md";

/// What stands from the start of a problem to its end.
fn meant<'a>(problem: &Problem, chapter: &'a str, actions: &'a str) -> &'a str {
    let text = if problem.file == CHAPTER { chapter } else { actions };
    let line = text.lines().nth(problem.at.line - 1).expect("a problem is in its file");
    assert_eq!(problem.at.line, problem.end.line, "{problem}");
    let byte = |column: usize| {
        line.char_indices().nth(column - 1).map_or(line.len(), |(offset, _)| offset)
    };
    &line[byte(problem.at.column)..byte(problem.end.column)]
}

fn all_meant<'a>(chapter: &'a str, actions: &'a str) -> Vec<&'a str> {
    let problems = Spec::new().chapter(CHAPTER).check(chapter, actions).expect_err("it is broken");
    problems.iter().map(|problem| meant(problem, chapter, actions)).collect()
}

#[test]
fn the_span_of_a_problem_is_the_text_it_is_about() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken/ten");
    let [chapter, actions] =
        [CHAPTER, "actions.yaml"].map(|file| fs::read_to_string(folder.join(file)).unwrap());
    assert_eq!(
        all_meant(&chapter, &actions),
        [
            "principle",
            "0",
            "gateways",
            "rl.host",
            "Message.list",
            "rl.reed",
            "Get /messages",
            "31",
            "POST /messages/",
            "gatewy",
        ]
    );
}

#[test]
fn columns_count_characters_and_quotes_belong_to_a_text() {
    let chapter = "\
## Rate-limit classes
| Class | Used for | Key | Per minute | Burst | Surface | Reserved |
|---|---|---|---|---|---|---|
| rl.read | \u{e9}t\u{e9} | `principle` | 6 | 2 | rest | |
";
    let actions = "- id: a\n  class: \"rl.raed\"   # a comment\n  surface: gateway\n";
    assert_eq!(all_meant(chapter, actions), ["`principle`", "\"rl.raed\""]);
}

#[test]
fn what_is_missing_has_no_text() {
    let chapter = "\
## Rate-limit classes
| Class | Key | Per minute | Burst | Surface | Reserved | Used for |
|---|---|---|---|---|---|---|
| rl.read | | 6 | 2 | rest | yes | |
";
    assert_eq!(all_meant(chapter, "- id: a\n  class: rl.read\n"), ["", ""]);
}

#[test]
fn a_row_is_meant_as_a_whole() {
    let chapter = "\
## Rate-limit classes
| Class | Key | Per minute | Burst | Surface | Reserved | Used for |
|---|---|---|---|---|---|---|
| rl.read | principal | 6 | 2 | rest | yes |
";
    assert_eq!(all_meant(chapter, ""), ["| rl.read | principal | 6 | 2 | rest | yes |"]);
}
