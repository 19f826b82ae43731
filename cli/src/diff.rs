//! `tollgate diff`: what changed from one catalogue to another.

mod actions;
mod classes;

use std::fmt::Write as _;

use tollgate_codegen::Catalogue;

use crate::answer::{Answer, Trouble};
use crate::arguments::{Diff, DiffFormat};
use crate::change::{Change, Effect};
use crate::words::count;

pub(crate) fn run(command: &Diff) -> Result<Answer, Trouble> {
    let old = command.names.read_sound(&command.old)?;
    let new = command.names.read_sound(&command.new)?;
    let changes = between(&old, &new);
    let text = match command.format {
        DiffFormat::Text => text(&changes),
        DiffFormat::Json => format!("{}\n", serde_json::json!({ "changes": changes })),
    };
    Ok(Answer { text, is_bad: command.exit_code && !changes.is_empty() })
}

/// Every change: those of classes before those of actions, in the order of the new catalogue, and what
/// was removed before the rest.
fn between(old: &Catalogue, new: &Catalogue) -> Vec<Change> {
    let actions = actions::pairs(old, new);
    let classes = classes::pairs(old, new, &actions);
    let mut changes = classes::changes(&classes);
    changes.extend(actions::changes(&classes, &actions));
    changes
}

/// A class or an action in both catalogues, or in one of them.
#[derive(Debug)]
struct Pair<'a, T> {
    old: Option<&'a T>,
    new: Option<&'a T>,
}

/// What is in the old one alone, and then all of the new one with what it was in the old one.
fn pairs_of<'a, T: PartialEq>(
    old: &'a [T],
    new: &'a [T],
    was: impl Fn(&T) -> Option<&'a T>,
) -> Vec<Pair<'a, T>> {
    let kept: Vec<Pair<'a, T>> =
        new.iter().map(|new| Pair { old: was(new), new: Some(new) }).collect();
    let is_kept = |old: &&T| kept.iter().any(|pair| pair.old.is_some_and(|kept| kept == *old));
    let removed = old.iter().filter(|old| !is_kept(old));
    let mut all: Vec<Pair<'a, T>> = removed.map(|old| Pair { old: Some(old), new: None }).collect();
    all.extend(kept);
    all
}

fn text(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "no changes\n".to_owned();
    }
    let mut out = String::new();
    for effect in Effect::ALL {
        let of_it: Vec<&Change> = changes.iter().filter(|change| change.effect == effect).collect();
        if of_it.is_empty() {
            continue;
        }
        // Writing to a text cannot fail.
        let _ = writeln!(out, "{}", effect.heading());
        for change in of_it {
            let _ = writeln!(out, "  {}", change.text);
        }
        out.push('\n');
    }
    let number = |effect| changes.iter().filter(|change| change.effect == effect).count();
    let _ = writeln!(
        out,
        "{}: {} tighter, {} looser, {} other",
        count(changes.len(), "change", "changes"),
        number(Effect::Tighter),
        number(Effect::Looser),
        number(Effect::Other),
    );
    out
}
