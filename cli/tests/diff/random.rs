//! Random changes to a catalogue are exactly the changes that are listed.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::diff;

const CLASSES: usize = 4;
/// The actions of each class: the first stays as it is, so that the class stays in use.
const ACTIONS: usize = 3;

#[derive(Clone, Debug)]
enum ToClass {
    Nothing,
    Burst(u32),
    Key,
    PerMinute(u32),
    Remove,
    Rename,
    Reserve,
    Surface,
    UsedFor,
}

#[derive(Clone, Debug)]
enum ToAction {
    Nothing,
    Cost(u32),
    Move(usize),
    Operation,
    Remove,
    Rename,
}

fn to_class() -> impl Strategy<Value = ToClass> {
    prop_oneof![
        3 => Just(ToClass::Nothing),
        2 => (10_u32..200).prop_map(ToClass::Burst),
        1 => Just(ToClass::Key),
        2 => (1_u32..200).prop_map(ToClass::PerMinute),
        1 => Just(ToClass::Remove),
        1 => Just(ToClass::Rename),
        1 => Just(ToClass::Reserve),
        1 => Just(ToClass::Surface),
        1 => Just(ToClass::UsedFor),
    ]
}

fn to_action() -> impl Strategy<Value = ToAction> {
    prop_oneof![
        2 => Just(ToAction::Nothing),
        1 => (1_u32..10).prop_map(ToAction::Cost),
        1 => (0..CLASSES).prop_map(ToAction::Move),
        1 => Just(ToAction::Operation),
        1 => Just(ToAction::Remove),
        1 => Just(ToAction::Rename),
    ]
}

/// The two texts of a catalogue.
#[derive(Debug, Default)]
struct Texts {
    classes: String,
    actions: String,
}

impl Texts {
    fn new() -> Self {
        let header = "## Rate-limit classes\n\
                      | Class | Key | Per minute | Burst | Surface | Reserved | Used for |\n\
                      |---|---|---|---|---|---|---|\n";
        Self { classes: header.to_owned(), actions: String::new() }
    }

    fn class(&mut self, cells: [&str; 7]) {
        self.classes.push_str(&["| ", &cells.join(" | "), " |\n"].concat());
    }

    fn action(&mut self, id: &str, class: &str, cost: u32, path: &str) {
        let entry = format!(
            "- id: {id}\n  class: {class}\n  surface: rest\n  cost: {cost}\n  operation: GET {path}\n"
        );
        self.actions.push_str(&entry);
    }
}

/// Subject, name, what, from and to of each change.
type Listed = BTreeSet<String>;

fn listed(subject: &str, name: &str, what: &str, from: &Value, to: &Value) -> String {
    format!("{subject} {name} {what}: {from} -> {to}")
}

fn number(limit: &str, from: u32, to: u32, name: &str, changes: &mut Listed) {
    if from != to {
        changes.insert(listed("class", name, limit, &json!(from), &json!(to)));
    }
}

/// Writes a class into both catalogues, and what is different about it into the list; gives its name
/// in the new one.
fn class(
    index: usize,
    change: &ToClass,
    old: &mut Texts,
    new: &mut Texts,
    changes: &mut Listed,
) -> Option<String> {
    let name = format!("rl.c{index}");
    let used_for = format!("work {index}");
    let before = [&name, "tenant", "100", "50", "rest", "", &used_for];
    old.class(before);
    let mut add = |name: &str, what: &str, from: Value, to: Value| {
        changes.insert(listed("class", name, what, &from, &to));
    };
    let [_, key, per_minute, burst, surface, reserved, _] = before;
    match change {
        ToClass::Nothing => new.class(before),
        ToClass::Burst(burst) => {
            new.class([&name, key, per_minute, &burst.to_string(), surface, reserved, &used_for]);
            number("burst", 50, *burst, &name, changes);
        }
        ToClass::Key => {
            new.class([&name, "client IP", per_minute, burst, surface, reserved, &used_for]);
            add(&name, "key", json!("tenant"), json!("client IP"));
        }
        ToClass::PerMinute(rate) => {
            new.class([&name, key, &rate.to_string(), burst, surface, reserved, &used_for]);
            number("per_minute", 100, *rate, &name, changes);
        }
        ToClass::Remove => {
            add(&name, "removed", json!(name), Value::Null);
            return None;
        }
        ToClass::Rename => {
            let other = format!("rl.other{index}");
            new.class([&other, key, per_minute, burst, surface, reserved, &used_for]);
            add(&other, "renamed", json!(name), json!(other));
            return Some(other);
        }
        ToClass::Reserve => {
            new.class([&name, key, per_minute, burst, surface, "yes", &used_for]);
            add(&name, "reserved", json!(false), json!(true));
        }
        ToClass::Surface => {
            new.class([&name, key, per_minute, burst, "any", reserved, &used_for]);
            add(&name, "surface", json!("rest"), json!("any"));
        }
        ToClass::UsedFor => {
            new.class([&name, key, per_minute, burst, surface, reserved, "something else"]);
            add(&name, "used_for", json!(used_for), json!("something else"));
        }
    }
    Some(name)
}

/// Both catalogues, and every change from one to the other.
fn catalogues(
    to_classes: &[ToClass],
    to_actions: &[ToAction],
    added: usize,
) -> (Texts, Texts, Listed) {
    let (mut old, mut new, mut changes) = (Texts::new(), Texts::new(), Listed::new());
    let names: Vec<Option<String>> = to_classes
        .iter()
        .enumerate()
        .map(|(index, change)| class(index, change, &mut old, &mut new, &mut changes))
        .collect();
    // A class that is recognised by its actions keeps them, and takes no others.
    let is_closed =
        |index: usize| matches!(to_classes.get(index), Some(ToClass::Remove | ToClass::Rename));
    let name_of = |index: usize| names.get(index)?.as_ref();
    for (position, change) in to_actions.iter().enumerate() {
        let index = position / ACTIONS;
        let (id, path) = (format!("a{position}"), format!("/a{position}"));
        let was = format!("rl.c{index}");
        old.action(&id, &was, 5, &path);
        let mut add = |name: &str, what: &str, from: Value, to: Value| {
            changes.insert(listed("action", name, what, &from, &to));
        };
        let Some(class) = name_of(index) else {
            add(&id, "removed", json!(id), Value::Null);
            continue;
        };
        let is_kept = position % ACTIONS == 0 || is_closed(index);
        match change {
            ToAction::Cost(cost) if !is_kept => {
                new.action(&id, class, *cost, &path);
                if *cost != 5 {
                    add(&id, "cost", json!(5), json!(cost));
                }
            }
            ToAction::Move(to) if !is_kept && !is_closed(*to) => {
                let to = name_of(*to).expect("open classes are there");
                new.action(&id, to, 5, &path);
                if *to != was {
                    add(&id, "class", json!(was), json!(to));
                }
            }
            ToAction::Operation if !is_kept => {
                new.action(&id, class, 5, &format!("/other{position}"));
                let (from, to) = (format!("GET {path}"), format!("GET /other{position}"));
                add(&id, "operation", json!(from), json!(to));
            }
            ToAction::Remove if !is_kept => add(&id, "removed", json!(id), Value::Null),
            ToAction::Rename => {
                let other = format!("other{position}");
                new.action(&other, class, 5, &path);
                add(&other, "renamed", json!(id), json!(other));
            }
            _ => new.action(&id, class, 5, &path),
        }
    }
    for number in 0..added {
        let (name, id) = (format!("rl.new{number}"), format!("new{number}"));
        new.class([&name, "agent", "7", "9", "rest", "", ""]);
        new.action(&id, &name, 1, &format!("/new{number}"));
        changes.insert(listed("class", &name, "added", &Value::Null, &json!(name)));
        changes.insert(listed("action", &id, "added", &Value::Null, &json!(id)));
    }
    (old, new, changes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_changes_are_exactly_the_changes_listed(
        to_classes in proptest::collection::vec(to_class(), CLASSES),
        to_actions in proptest::collection::vec(to_action(), CLASSES * ACTIONS),
        added in 0_usize..3,
    ) {
        let (old, new, expected) = catalogues(&to_classes, &to_actions, added);
        let (_, shown) = diff(
            "diff-random",
            (&old.classes, &old.actions),
            (&new.classes, &new.actions),
            &["--format=json"],
        );
        let parsed: Value = serde_json::from_str(&shown).unwrap();
        let changes = parsed["changes"].as_array().unwrap();
        let found: Listed = changes
            .iter()
            .map(|change| {
                let text = |field: &str| change[field].as_str().unwrap();
                listed(text("subject"), text("name"), text("what"), &change["from"], &change["to"])
            })
            .collect();
        prop_assert_eq!(changes.len(), found.len());
        prop_assert_eq!(found, expected);
    }
}
