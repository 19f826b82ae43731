//! A chapter and a list of actions are a catalogue, whose code is Rust, or a list of problems.

use tollgate_codegen::{Catalogue, Problem, Spec};

/// Parts the chapter from the actions.
const SEPARATOR: &str = "\n=====\n";

/// No text makes the readers panic; what is wrong is said with its place, and what is generated can be compiled.
pub fn holds(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (chapter, actions) = text.split_once(SEPARATOR).unwrap_or((text, ""));
    match Spec::new().check(chapter, actions) {
        Ok(catalogue) => {
            is_compiled(&catalogue);
            assert!(catalogue.configuration("the command").contains("the command"));
        }
        Err(problems) => are_told(&problems, chapter, actions),
    }
}

fn are_told(problems: &[Problem], chapter: &str, actions: &str) {
    assert!(!problems.is_empty(), "a refusal without a reason");
    for problem in problems {
        let text = if problem.file == "spec/actions.yaml" { actions } else { chapter };
        let lines = text.split(['\n', '\r']).count() + 1;
        assert!((1..=lines).contains(&problem.at.line) && problem.at.column > 0, "{problem:?}");
        assert!(!problem.message.is_empty(), "{problem:?}");
        assert!(!problem.to_string().contains(['\n', '\r']), "{problem:?}");
    }
}

/// The code has two enums, in which every class and every action is a variant.
fn is_compiled(catalogue: &Catalogue) {
    let code = catalogue.rust();
    let file = syn::parse_file(&code).expect("generated code is Rust");
    let enums = file.items.iter().filter_map(|item| match item {
        syn::Item::Enum(item) => {
            Some(item.variants.iter().map(|variant| variant.ident.to_string()).collect())
        }
        _ => None,
    });
    let enums: Vec<Vec<String>> = enums.collect();
    let classes: Vec<_> = catalogue.classes().iter().map(|class| class.variant.clone()).collect();
    let actions: Vec<_> = catalogue.actions().iter().map(|action| action.variant.clone()).collect();
    assert_eq!(enums, [classes, actions]);
}
