//! `tollgate diff`.

mod random;

use serde_json::{Value, json};

use crate::{ACTIONS, CLASSES, Folder, answer, edited, tollgate};

/// What the program says to two catalogues.
fn diff(name: &str, old: (&str, &str), new: (&str, &str), arguments: &[&str]) -> (i32, String) {
    let folder = Folder::new(name);
    folder.catalogue("old", old.0, old.1);
    folder.catalogue("new", new.0, new.1);
    let (code, shown, trouble) =
        answer(tollgate(&folder.0).args(["diff", "old", "new"]).args(arguments));
    assert_eq!(trouble, "");
    (code, shown)
}

/// The catalogue of the tests with one part of its classes and one of its actions replaced.
fn changed(classes: (&str, &str), actions: (&str, &str)) -> (String, String) {
    let apply = |text: &str, (before, after): (&str, &str)| match before {
        "" => text.to_owned(),
        _ => edited(text, before, after),
    };
    (apply(CLASSES, classes), apply(ACTIONS, actions))
}

/// The lines between the headings and the sum.
fn lines_of(name: &str, new: &(String, String)) -> String {
    let (code, shown) = diff(name, (CLASSES, ACTIONS), (&new.0, &new.1), &[]);
    assert_eq!(code, 0);
    shown
}

const NOTHING: (&str, &str) = ("", "");

#[test]
fn exactly_the_changes_made_are_listed_by_what_they_mean() {
    let mut classes = edited(CLASSES, "| 600 | 120 |", "| 1200 | 60 |");
    classes = edited(&classes, "rl.write", "rl.change");
    classes = edited(&classes, "client IP", "principal");
    classes = edited(&classes, "| 7 | 10 |", "| 5 | 10 |");
    classes = edited(&classes, "| hosts |", "| connected hosts |");
    classes.push_str("| rl.export | principal | 6 | 2 | rest | | exports |\n");
    let mut actions = edited(ACTIONS, "message.list", "message.index");
    actions = edited(
        &actions,
        "  class: rl.read\n  surface: rest\n  operation: GET /messages/",
        "  class: rl.export\n  surface: rest\n  operation: GET /messages/",
    );
    actions = edited(&actions, "rl.write", "rl.change");
    actions = edited(&actions, "cost: 4", "cost: 2");
    actions = edited(&actions, "POST /login", "POST /sessions");
    actions = edited(&actions, "typing.start", "typing.stop");
    actions.push_str(
        "- id: export.start\n  class: rl.export\n  surface: rest\n  operation: POST /exports\n",
    );

    let expected = "\
Tighter
  rl.read: burst 120 -> 60
  rl.typing: tokens a minute 7 -> 5
  message.read: rl.read (600 a minute, burst 120, key principal) -> rl.export (6 a minute, burst 2, key principal)

Looser
  rl.read: tokens a minute 600 -> 1200
  message.send: cost 4 -> 2

Other changes
  class rl.write is called rl.change now
  rl.login: key `client IP` -> `principal`
  rl.host: used for `hosts` -> `connected hosts`
  class rl.export is new: 6 a minute, burst 2, key principal
  action typing.start is removed
  action message.list is called message.index now
  auth.login: operation POST /login -> POST /sessions
  action typing.stop is new: class rl.typing
  action export.start is new: class rl.export

14 changes: 3 tighter, 2 looser, 9 other
";
    let (code, shown) = diff("diff", (CLASSES, ACTIONS), (&classes, &actions), &[]);
    assert_eq!(shown, expected);
    assert_eq!(code, 0);
}

#[test]
fn a_catalogue_has_no_changes_to_itself_or_to_another_order() {
    let (code, shown) = diff("diff-same", (CLASSES, ACTIONS), (CLASSES, ACTIONS), &["--exit-code"]);
    assert_eq!((code, shown.as_str()), (0, "no changes\n"));

    let row = "| rl.write | principal | 120 | 30 | rest | | writing |\n";
    let order = edited(CLASSES, row, "") + row;
    let (code, shown) = diff("diff-order", (CLASSES, ACTIONS), (&order, ACTIONS), &["--exit-code"]);
    assert_eq!((code, shown.as_str()), (0, "no changes\n"));
}

#[test]
fn the_exit_code_says_that_something_changed_when_asked() {
    let new = changed(("| 120 | 30 |", "| 120 | 31 |"), NOTHING);
    let (code, _) = diff("diff-code", (CLASSES, ACTIONS), (&new.0, &new.1), &["--exit-code"]);
    assert_eq!(code, 1);
}

#[test]
fn json_has_names_values_and_the_words() {
    let new =
        changed(("| 120 | 30 |", "| 120 | 31 |"), ("  class: rl.login\n", "  class: rl.write\n"));
    let new = (edited(&new.0, "| 10 | rest | | |", "| 10 | rest | yes | |"), new.1);
    let (code, shown) = diff("diff-json", (CLASSES, ACTIONS), (&new.0, &new.1), &["--format=json"]);
    assert_eq!(code, 0);
    let parsed: Value = serde_json::from_str(&shown).unwrap();
    let moved = "auth.login: rl.login (20 a minute, burst 10, key client IP) -> rl.write (120 a \
                 minute, burst 31, key principal)";
    let expected = json!({"changes": [
        {
            "effect": "looser", "subject": "class", "name": "rl.write", "what": "burst",
            "from": 30, "to": 31, "text": "rl.write: burst 30 -> 31",
        },
        {
            "effect": "other", "subject": "class", "name": "rl.login", "what": "reserved",
            "from": false, "to": true, "text": "rl.login is reserved now",
        },
        {
            "effect": "other", "subject": "action", "name": "auth.login", "what": "class",
            "from": "rl.login", "to": "rl.write", "text": moved,
        },
    ]});
    assert_eq!(parsed, expected);
}

#[test]
fn a_move_that_admits_more_at_once_and_less_later_is_neither() {
    let slow = "| rl.slow | principal | 60 | 200 | rest | | reports |\n";
    let old = format!("{CLASSES}{slow}");
    let user = "- id: report\n  class: rl.slow\n  surface: rest\n  operation: GET /report\n";
    let before = format!("{ACTIONS}{user}");
    let after = edited(&before, "  class: rl.write\n", "  class: rl.slow\n");
    // rl.write becomes unused, which only a reserved class may be.
    let new = edited(&old, "| 30 | rest | |", "| 30 | rest | yes |");
    let (_, shown) = diff("diff-mixed", (&old, &before), (&new, &after), &[]);
    let other = shown.split("Other changes\n").nth(1).unwrap();
    assert!(other.contains("  message.send: rl.write (120 a minute, burst 30,"), "{shown}");
}

#[test]
fn a_class_with_other_limits_is_another_class_and_not_a_new_name() {
    let new = changed(
        ("| rl.write | principal | 120 |", "| rl.change | principal | 60 |"),
        ("rl.write", "rl.change"),
    );
    let shown = lines_of("diff-other-class", &new);
    assert!(
        shown.contains(
            "  class rl.write is removed\n  class rl.change is new: 60 a minute, burst 30, key principal\n"
        ),
        "{shown}"
    );
    let moved = "Tighter\n  message.send: rl.write (120 a minute, burst 30, key principal) -> \
                 rl.change (60 a minute, burst 30, key principal)\n";
    assert!(shown.contains(moved), "{shown}");
}

#[test]
fn an_action_can_change_its_entrance() {
    let new = changed(
        ("connection | 7 | 10 | gateway", "connection | 7 | 10 | rest"),
        ("surface: gateway\n", "surface: rest\n  operation: POST /typing\n"),
    );
    let shown = lines_of("diff-entrance", &new);
    for line in [
        "  rl.typing: surface `gateway` -> `rest`\n",
        "  typing.start: surface gateway -> rest\n",
        "  typing.start: operation none -> POST /typing\n",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
}
