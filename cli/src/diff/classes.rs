//! What changed about classes.

use serde_json::{Value, json};
use tollgate_codegen::{Action, Catalogue, Class};

use super::{Pair, pairs_of};
use crate::change::{Change, Effect, Subject, What};

/// Every class, with what it was before.
pub(super) fn pairs<'a>(
    old: &'a Catalogue,
    new: &'a Catalogue,
    actions: &[Pair<'a, Action>],
) -> Vec<Pair<'a, Class>> {
    pairs_of(old.classes(), new.classes(), |class| {
        old.classes()
            .iter()
            .find(|was| was.name == class.name)
            .or_else(|| renamed(old, new, class, actions))
    })
}

/// What a new class was called before: the one class that is gone, limits what it limits, and has the
/// same actions.
fn renamed<'a>(
    old: &'a Catalogue,
    new: &Catalogue,
    class: &Class,
    actions: &[Pair<'_, Action>],
) -> Option<&'a Class> {
    let is_like = |one: &Class, other: &Class| {
        let definition = |class: &Class| {
            let Class { key, per_minute, burst, surface, reserved, used_for, .. } = class.clone();
            (key, per_minute, burst, surface, reserved, used_for)
        };
        definition(one) == definition(other)
    };
    let is_in =
        |class: &Class, all: &Catalogue| all.classes().iter().any(|other| other.name == class.name);
    let has_same_actions = |was: &Class| {
        actions.iter().all(|pair| {
            pair.old.is_some_and(|action| action.class == was.name)
                == pair.new.is_some_and(|action| action.class == class.name)
        })
    };
    let gone = old.classes().iter().filter(|was| !is_in(was, new) && is_like(was, class));
    let mut gone = gone.filter(|was| has_same_actions(was));
    let come = new.classes().iter().filter(|other| !is_in(other, old) && is_like(other, class));
    match (gone.next(), gone.next(), come.count()) {
        (Some(was), None, 1) => Some(was),
        _ => None,
    }
}

pub(super) fn changes(pairs: &[Pair<'_, Class>]) -> Vec<Change> {
    let mut changes = Vec::new();
    for pair in pairs {
        match (pair.old, pair.new) {
            (Some(old), Some(new)) => compare(old, new, &mut changes),
            (Some(old), None) => {
                let text = format!("class {} is removed", old.name);
                changes.push(change(old, What::Removed, json!(old.name), Value::Null, text));
            }
            (None, Some(new)) => {
                let text = format!("class {} is new: {}", new.name, limits(new));
                changes.push(change(new, What::Added, Value::Null, json!(new.name), text));
            }
            (None, None) => {}
        }
    }
    changes
}

/// A change that is neither tighter nor looser.
fn change(class: &Class, what: What, from: Value, to: Value, text: String) -> Change {
    let (effect, subject, name) = (Effect::Other, Subject::Class, class.name.clone());
    Change { effect, subject, name, what, from, to, text }
}

fn compare(old: &Class, new: &Class, changes: &mut Vec<Change>) {
    let name = &new.name;
    let mut add = |effect, what, from: Value, to: Value, text: String| {
        changes.push(Change { effect, ..change(new, what, from, to, text) });
    };
    if old.name != new.name {
        let text = format!("class {} is called {name} now", old.name);
        add(Effect::Other, What::Renamed, json!(old.name), json!(name), text);
    }
    for (what, words, from, to) in [
        (What::PerMinute, "tokens a minute", old.per_minute, new.per_minute),
        (What::Burst, "burst", old.burst, new.burst),
    ] {
        if from != to {
            let text = format!("{name}: {words} {from} -> {to}");
            add(Effect::of(from, to), what, json!(from), json!(to), text);
        }
    }
    for (what, words, from, to) in [
        (What::Key, "key", old.key.to_string(), new.key.to_string()),
        (What::Surface, "surface", old.surface.to_string(), new.surface.to_string()),
        (What::UsedFor, "used for", old.used_for.clone(), new.used_for.clone()),
    ] {
        if from != to {
            let text = format!("{name}: {words} {} -> {}", shown(&from), shown(&to));
            add(Effect::Other, what, json!(from), json!(to), text);
        }
    }
    if old.reserved != new.reserved {
        let words = if new.reserved { "reserved now" } else { "no longer reserved" };
        let text = format!("{name} is {words}");
        add(Effect::Other, What::Reserved, json!(old.reserved), json!(new.reserved), text);
    }
}

fn shown(text: &str) -> String {
    if text.is_empty() { "nothing".to_owned() } else { format!("`{text}`") }
}

/// The limits of a class, as in `600 tokens a minute and a burst of 120 for each principal`.
pub(super) fn limits(class: &Class) -> String {
    let Class { key, per_minute, burst, .. } = class;
    format!("{per_minute} a minute, burst {burst}, key {key}")
}
