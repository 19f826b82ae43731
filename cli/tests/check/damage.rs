//! Whatever stands in the files, it is answered with excerpts or with a count.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use crate::{ACTIONS, CLASSES, Folder, answer, tollgate};

/// What means something to Markdown, to YAML or to a terminal.
const PIECES: [&str; 20] = [
    "|",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "#",
    ":",
    "{",
    "[",
    "\"",
    "'",
    "`",
    "\\",
    "\u{feff}",
    "\u{65e5}\u{672c}",
    "\u{1f980}",
    "\u{202e}",
    "\u{1b}[31m",
    "e\u{301}",
];

/// A text with pieces put into it.
fn damaged(text: &'static str) -> impl Strategy<Value = String> {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    proptest::collection::vec((select(places), select(&PIECES[..])), 0..6).prop_map(
        move |mut edits| {
            edits.sort_unstable();
            let mut damaged = text.to_owned();
            for (at, piece) in edits.into_iter().rev() {
                damaged.insert_str(at, piece);
            }
            damaged
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_damage_is_shown_with_as_many_excerpts_as_problems(
        classes in damaged(CLASSES),
        actions in damaged(ACTIONS),
    ) {
        let folder = Folder::new("check-damage");
        folder.catalogue("spec", &classes, &actions);
        let (code, shown, trouble) =
            answer(tollgate(&folder.0).args(["check", "--format=json"]));
        let parsed: Value = serde_json::from_str(&shown).unwrap();
        let problems = parsed["problems"].as_array().unwrap().len();
        prop_assert_eq!((code, trouble.as_str()), (i32::from(problems > 0), ""));

        let (code, shown, trouble) = answer(tollgate(&folder.0).arg("check"));
        prop_assert_eq!((code, trouble.as_str()), (i32::from(problems > 0), ""));
        let excerpts = shown.lines().filter(|line| line.contains("--> spec/")).count();
        prop_assert_eq!(excerpts, problems, "{}", shown);
        prop_assert!(!shown.contains('\u{1b}'), "{}", shown);
    }
}
