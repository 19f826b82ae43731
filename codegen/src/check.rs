//! The checks that need both files, and the order of a whole run.

use std::collections::{HashMap, HashSet};

use crate::catalogue::{Action, Catalogue, Surface};
use crate::collision::{self, ClassNames};
use crate::problem::{Problem, Problems};
use crate::source::Source;
use crate::spec::Spec;
use crate::words::{nearest, one_of, quoted};
use crate::{actions, classes};

pub(crate) fn check(spec: &Spec, chapter: &str, list: &str) -> Result<Catalogue, Vec<Problem>> {
    let [chapter_file, list_file] = spec.files();
    let mut in_chapter = Problems::of(chapter_file);
    let mut in_list = Problems::of(list_file);
    let classes = classes::read(spec, &Source::new(chapter), &mut in_chapter);
    let actions = actions::read(&Source::new(list), &mut in_list);
    if let Some(classes) = &classes {
        refuse_keys(classes, &mut in_chapter);
        if let Some(actions) = &actions {
            resolve(classes, actions, &mut in_list);
            refuse_unused(classes, actions, &mut in_chapter);
        }
    }
    let problems = in_chapter.and(in_list);
    let files = [chapter_file.to_owned(), list_file.to_owned()];
    match finish(files, classes, actions) {
        Some(catalogue) if problems.is_empty() => Ok(catalogue),
        _ => Err(problems),
    }
}

/// The problems of the list when the chapter cannot be read.
pub(crate) fn actions_alone(spec: &Spec, list: &str, unread: Problem) -> Vec<Problem> {
    let mut problems = Problems::of(spec.files()[1]);
    actions::read(&Source::new(list), &mut problems);
    problems.with(unread)
}

/// The problems of the chapter when the list cannot be read.
pub(crate) fn chapter_alone(spec: &Spec, chapter: &str, unread: Problem) -> Vec<Problem> {
    let mut problems = Problems::of(spec.files()[0]);
    if let Some(classes) = classes::read(spec, &Source::new(chapter), &mut problems) {
        refuse_keys(&classes, &mut problems);
    }
    problems.with(unread)
}

/// A class whose configuration could be taken for that of the limiter, or of another class.
fn refuse_keys(classes: &[classes::Listed], problems: &mut Problems<'_>) {
    let named = || classes.iter().filter(|class| !class.name.is_empty());
    let all = ClassNames::of(named().map(|class| class.name.as_str()));
    for class in named() {
        let name = &class.name;
        if let Some(key) = collision::limiter_key(name) {
            problems.add(
                class.at,
                format!(
                    "class `{name}` would be configured as the key `ratelimit.{key}` of the \
                     limiter; choose another name"
                ),
            );
        }
        if let Some(other) = all.key_of(name) {
            problems.add(
                class.at,
                format!(
                    "class `{name}` would be configured as a key of class `{other}`; choose \
                     another name"
                ),
            );
        }
    }
}

/// What an action says of its class.
fn resolve(classes: &[classes::Listed], actions: &[actions::Listed], problems: &mut Problems<'_>) {
    let by_name: HashMap<&str, &classes::Listed> =
        classes.iter().rev().map(|class| (class.name.as_str(), class)).collect();
    for action in actions {
        let Some((at, name)) = &action.class else { continue };
        let Some(class) = by_name.get(name.as_str()) else {
            let near = nearest(name, classes.iter().map(|class| class.name.as_str()));
            let meant = near.and_then(|near| by_name.get(near));
            // A class whose own name is refused is reported there.
            if meant.is_none_or(|class| class.variant.is_some()) {
                let hint = near.map(|near| format!("; did you mean `{near}`?"));
                let hint = hint.unwrap_or_default();
                problems.add(*at, format!("unknown class {}{hint}", quoted(name)));
            }
            continue;
        };
        if let (Some(serves), Some(enters)) = (class.surface, action.surface) {
            if serves != Surface::Any && serves != enters {
                let fitting = classes.iter().filter(|class| {
                    class.surface == Some(Surface::Any) || class.surface == Some(enters)
                });
                let fitting = one_of(fitting.map(|class| class.name.as_str()));
                problems.add(
                    *at,
                    format!(
                        "class `{name}` serves `{}` and the action enters by `{}`; such classes are \
                         {fitting}",
                        serves.word(),
                        enters.word(),
                    ),
                );
            }
        }
        if let (Some((at, cost)), Some(burst)) = (action.cost, class.burst) {
            if cost > burst {
                problems.add(
                    at,
                    format!(
                        "cost is {cost}; class `{name}` never holds more than its burst of {burst}"
                    ),
                );
            }
        }
    }
}

/// A class without an action, unless an action seems to mean it.
fn refuse_unused(
    classes: &[classes::Listed],
    actions: &[actions::Listed],
    problems: &mut Problems<'_>,
) {
    let names = || classes.iter().map(|class| class.name.as_str());
    let known: HashSet<&str> = names().collect();
    let used: HashSet<&str> = actions
        .iter()
        .filter_map(|action| action.class.as_ref())
        .filter_map(|(_, name)| {
            known.get(name.as_str()).copied().or_else(|| nearest(name, names()))
        })
        .collect();
    for class in classes {
        // A class whose own name is refused is reported there.
        if class.reserved == Some(false)
            && class.variant.is_some()
            && !used.contains(class.name.as_str())
        {
            problems.add(
                class.at,
                format!(
                    "no action uses class {}; use it, delete it, or mark it as reserved",
                    quoted(&class.name)
                ),
            );
        }
    }
}

/// The catalogue, complete or not at all.
fn finish(
    files: [String; 2],
    classes: Option<Vec<classes::Listed>>,
    actions: Option<Vec<actions::Listed>>,
) -> Option<Catalogue> {
    let classes: Option<Vec<_>> = classes?.into_iter().map(classes::Listed::finish).collect();
    let classes = classes?;
    let actions: Option<Vec<_>> = actions?
        .into_iter()
        .map(|action| {
            let (_, class) = action.class?;
            let class_variant = classes.iter().find(|known| known.name == class)?.variant.clone();
            Some(Action {
                id: action.id?.1,
                variant: action.variant?,
                class,
                class_variant,
                cost: action.cost.map_or(1, |(_, cost)| cost),
                surface: action.surface?,
                operation: action.operation.map(|(_, operation)| operation),
            })
        })
        .collect();
    Some(Catalogue { files, classes, actions: actions? })
}
