//! What changed about actions.

use serde_json::{Value, json};
use tollgate_codegen::{Action, Catalogue, Class};

use super::classes::limits;
use super::{Pair, pairs_of};
use crate::change::{Change, Effect, Subject, What};

/// Every action, with what it was before.
pub(super) fn pairs<'a>(old: &'a Catalogue, new: &'a Catalogue) -> Vec<Pair<'a, Action>> {
    pairs_of(old.actions(), new.actions(), |action| {
        let was = |id: &str| old.actions().iter().find(|was| was.id == id);
        // No two actions of one catalogue have the same operation.
        let renamed = || {
            action.operation.as_ref()?;
            let is_gone = |was: &Action| !new.actions().iter().any(|new| new.id == was.id);
            old.actions().iter().find(|was| was.operation == action.operation && is_gone(was))
        };
        was(&action.id).or_else(renamed)
    })
}

pub(super) fn changes(classes: &[Pair<'_, Class>], actions: &[Pair<'_, Action>]) -> Vec<Change> {
    let mut changes = Vec::new();
    for pair in actions {
        match (pair.old, pair.new) {
            (Some(old), Some(new)) => compare(old, new, classes, &mut changes),
            (Some(old), None) => {
                let text = format!("action {} is removed", old.id);
                changes.push(change(old, What::Removed, json!(old.id), Value::Null, text));
            }
            (None, Some(new)) => {
                let text = format!("action {} is new: class {}", new.id, new.class);
                changes.push(change(new, What::Added, Value::Null, json!(new.id), text));
            }
            (None, None) => {}
        }
    }
    changes
}

/// A change that is neither tighter nor looser.
fn change(action: &Action, what: What, from: Value, to: Value, text: String) -> Change {
    let (effect, subject, name) = (Effect::Other, Subject::Action, action.id.clone());
    Change { effect, subject, name, what, from, to, text }
}

fn compare(old: &Action, new: &Action, classes: &[Pair<'_, Class>], changes: &mut Vec<Change>) {
    let id = &new.id;
    let mut add = |effect, what, from: Value, to: Value, text: String| {
        changes.push(Change { effect, ..change(new, what, from, to, text) });
    };
    if old.id != new.id {
        let text = format!("action {} is called {id} now", old.id);
        add(Effect::Other, What::Renamed, json!(old.id), json!(id), text);
    }
    let before = classes.iter().find(|pair| pair.old.is_some_and(|was| was.name == old.class));
    let after = classes.iter().find(|pair| pair.new.is_some_and(|is| is.name == new.class));
    if let (Some(Pair { old: Some(from), new: kept }), Some(Pair { new: Some(to), .. })) =
        (before, after)
    {
        // A class with a new name takes its actions along.
        if kept.is_none_or(|kept| kept.name != to.name) {
            let text =
                format!("{id}: {} ({}) -> {} ({})", from.name, limits(from), to.name, limits(to));
            let effect = effect_of_move(from, to);
            add(effect, What::Class, json!(from.name), json!(to.name), text);
        }
    }
    if old.cost != new.cost {
        let text = format!("{id}: cost {} -> {}", old.cost, new.cost);
        // A larger cost admits less.
        add(Effect::of(new.cost, old.cost), What::Cost, json!(old.cost), json!(new.cost), text);
    }
    if old.surface != new.surface {
        let (from, to) = (old.surface.to_string(), new.surface.to_string());
        let text = format!("{id}: surface {from} -> {to}");
        add(Effect::Other, What::Surface, json!(from), json!(to), text);
    }
    if old.operation != new.operation {
        let words = |action: &Action| action.operation.as_ref().map(ToString::to_string);
        let (from, to) = (words(old), words(new));
        let shown = |words: &Option<String>| words.clone().unwrap_or_else(|| "none".to_owned());
        let text = format!("{id}: operation {} -> {}", shown(&from), shown(&to));
        add(Effect::Other, What::Operation, json!(from), json!(to), text);
    }
}

/// Limits of buckets that are kept for the same can be compared, and others cannot.
fn effect_of_move(from: &Class, to: &Class) -> Effect {
    if from.key == to.key {
        Effect::of(from.per_minute, to.per_minute).and(Effect::of(from.burst, to.burst))
    } else {
        Effect::Other
    }
}
