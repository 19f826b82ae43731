//! What holds for every input.

use proptest::prelude::*;
use proptest::sample::select;
use tollgate_codegen::{Problem, Spec};

const CHAPTER: &str = include_str!("broken/base/chapter.md");
const ACTIONS: &str = include_str!("broken/base/actions.yaml");

/// What a text is cut up with: the characters that mean something to one of the two readers.
const PIECES: [&str; 36] = [
    "|",
    "\n",
    "\r\n",
    "\t",
    " ",
    "-",
    "#",
    ":",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "`",
    "\\",
    "&a ",
    "*a",
    "!!x ",
    "---\n",
    "...\n",
    "? ",
    "<b>",
    "\u{feff}",
    "\u{202e}",
    "\u{0}",
    "\u{1f980}",
    "999999999999",
    "-1",
    "rl.read",
    "message.list",
    "|---|",
    "%",
    "$",
    "> ",
    "\u{2028}",
];

/// A text with some of it replaced.
fn damaged(text: &'static str) -> impl Strategy<Value = String> {
    let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let edit = (select(boundaries), 0_usize..12, select(&PIECES[..]));
    proptest::collection::vec(edit, 0..6).prop_map(move |edits| {
        let mut text = text.to_owned();
        for (start, length, piece) in edits {
            let floor =
                |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
            let (start, end) = (floor(start).unwrap_or(0), floor(start + length).unwrap_or(0));
            text.replace_range(start..end.max(start), piece);
        }
        text
    })
}

fn assert_well_formed(problems: &[Problem], chapter: &str, actions: &str) {
    assert!(!problems.is_empty(), "a refusal says why");
    assert!(problems.is_sorted(), "sorted by file and position");
    for problem in problems {
        let text = if problem.file.contains("actions.md") { chapter } else { actions };
        assert!(!problem.message.contains(['\n', '\r']), "one line each: {problem:?}");
        assert!(
            (1..=text.split(['\n', '\r']).count() + 1).contains(&problem.at.line),
            "{problem:?}"
        );
        assert!(problem.at.column >= 1, "{problem:?}");
    }
}

fn check_any(chapter: &str, actions: &str) {
    match Spec::new().check(chapter, actions) {
        Ok(catalogue) => {
            syn::parse_file(&catalogue.rust()).expect("generated code parses");
        }
        Err(problems) => assert_well_formed(&problems, chapter, actions),
    }
}

const HEAD: &str = "\
## Rate-limit classes

| Class | Key | Per minute | Burst | Surface | Reserved | Used for |
|---|---|---|---|---|---|---|
";

/// A word of the grammar.
const WORD: &str = "[a-z][a-z0-9_]{0,8}";

prop_compose! {
    /// A catalogue in which nothing is wrong: numbered names cannot meet, and the first class is used.
    fn sound()(
        classes in proptest::collection::vec(
            (WORD, 1_u32..=600_000_000, 1_u32.., select(&["rest", "gateway", "any"][..]), "[^\\r\\n|\\\\`]{0,40}"),
            1..8,
        ),
        actions in proptest::collection::vec((WORD, any::<prop::sample::Index>(), 1_u32..), 0..12),
    ) -> (String, String) {
        let rows: Vec<String> = classes
            .iter()
            .enumerate()
            .map(|(at, (word, per_minute, burst, surface, used_for))| format!(
                "| rl.c{at}.{word} | tenant | {per_minute} | {burst} | {surface} | yes | {used_for} |\n"
            ))
            .collect();
        let entries: Vec<String> = actions
            .iter()
            .enumerate()
            .map(|(number, (word, class, cost))| {
                let at = class.index(classes.len());
                let (class, _, burst, surface, _) = class.get(&classes);
                let cost = cost.min(burst);
                let enters = match *surface {
                    "gateway" => "gateway".to_owned(),
                    _ => format!("rest\n  operation: GET /{word}/{number}/{{{word}}}"),
                };
                format!("- id: a{number}.{word}\n  class: rl.c{at}.{class}\n  cost: {cost}\n  surface: {enters}\n")
            })
            .collect();
        let chapter = format!("{HEAD}{}", rows.concat());
        let list = entries.concat();
        (chapter, list)
    }
}

proptest! {
    #[test]
    fn no_damage_makes_it_panic_or_refuse_without_a_reason(
        chapter in damaged(CHAPTER),
        actions in damaged(ACTIONS),
    ) {
        check_any(&chapter, &actions);
    }

    #[test]
    fn no_text_makes_it_panic(chapter in any::<String>(), actions in any::<String>()) {
        check_any(&format!("## Rate-limit classes\n{chapter}"), &actions);
    }

    #[test]
    fn the_code_of_every_sound_catalogue_parses_and_has_every_variant((chapter, actions) in sound()) {
        let catalogue = Spec::new().check(&chapter, &actions).expect("sound by construction");
        let code = catalogue.rust();
        prop_assert!(!code.contains(|char: char| char.is_control() && char != '\n'));
        let file = syn::parse_file(&code).expect("generated code parses");
        let enums: Vec<Vec<String>> = file
            .items
            .iter()
            .filter_map(|item| match item {
                syn::Item::Enum(item) => {
                    Some(item.variants.iter().map(|variant| variant.ident.to_string()).collect())
                }
                _ => None,
            })
            .collect();
        let classes: Vec<_> = catalogue.classes().iter().map(|c| c.variant.clone()).collect();
        let actions: Vec<_> = catalogue.actions().iter().map(|a| a.variant.clone()).collect();
        prop_assert_eq!(enums, [classes, actions]);
    }
}
