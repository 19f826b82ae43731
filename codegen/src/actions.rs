//! Reads the list of actions.

use std::collections::HashMap;

use crate::catalogue::{Operation, Surface};
use crate::problem::{Problems, Span};
use crate::source::Source;
use crate::words::{did_you_mean, nearest, one_of, quoted};
use crate::yaml::{Node, Value};
use crate::{name, number, operation, routes, yaml};

/// One entry of the list. What is `None` is absent, or wrong and reported.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub(crate) id: Option<(Span, String)>,
    pub(crate) variant: Option<String>,
    pub(crate) class: Option<(Span, String)>,
    pub(crate) surface: Option<Surface>,
    pub(crate) cost: Option<(Span, u32)>,
    pub(crate) operation: Option<(Span, Operation)>,
}

/// Reads the file; `None` when a syntax error leaves the list unknown.
pub(crate) fn read(source: &Source<'_>, problems: &mut Problems<'_>) -> Option<Vec<Listed>> {
    let before = problems.count();
    let document = yaml::parse(source.text, problems);
    let Some(document) = document else {
        return (problems.count() == before).then(Vec::new);
    };
    let items = items(document, problems)?;
    let listed: Vec<Listed> = items.iter().filter_map(|item| entry(item, problems)).collect();
    refuse_duplicates(&listed, problems);
    Some(listed)
}

/// The entries: the document itself, or what it has under `actions`.
fn items(document: Node, problems: &mut Problems<'_>) -> Option<Vec<Node>> {
    match document.value {
        Value::Sequence(items) => Some(items),
        Value::Refused => None,
        _ if document.is_empty() => Some(Vec::new()),
        Value::Mapping(entries) => {
            let mut items = None;
            let mut is_given = false;
            for (key, value) in entries {
                match key.scalar() {
                    Some("actions") if is_given => {
                        problems.add(key.at, "`actions` is given twice");
                    }
                    Some("actions") => {
                        is_given = true;
                        items = list(value, problems);
                    }
                    given => {
                        let given = given.unwrap_or_default();
                        let near = did_you_mean(given, ["actions"]);
                        is_given |= !near.is_empty();
                        problems.add(key.at, format!("unknown key {}{near}", quoted(given)));
                    }
                }
            }
            if !is_given {
                problems.add(document.at, "the file has no list of actions");
            }
            items
        }
        Value::Plain(_) | Value::Text(_) => {
            problems.add(document.at, "the file is text; write a list of actions");
            None
        }
    }
}

fn list(value: Node, problems: &mut Problems<'_>) -> Option<Vec<Node>> {
    match value.value {
        Value::Sequence(items) => Some(items),
        _ if value.is_empty() => Some(Vec::new()),
        Value::Refused => None,
        _ => {
            problems.add(value.at, "`actions` is not a list");
            None
        }
    }
}

const KEYS: [&str; 5] = ["id", "class", "surface", "cost", "operation"];

fn entry(item: &Node, problems: &mut Problems<'_>) -> Option<Listed> {
    let entries = match &item.value {
        Value::Mapping(entries) => entries,
        Value::Refused => return None,
        _ => {
            problems.add(item.at, format!("an action is a mapping with the keys {}", one_of(KEYS)));
            return None;
        }
    };
    let fields = Fields::of(entries, problems);
    let mut listed = Listed::default();
    if let Some((at, id)) = fields.text("id", problems) {
        match name::action_variant(id) {
            Ok(variant) => listed.variant = Some(variant),
            Err(message) => problems.add(at, message),
        }
        listed.id = Some((at, id.to_owned()));
    }
    listed.class = fields.text("class", problems).map(|(at, class)| (at, class.to_owned()));
    listed.surface =
        fields.text("surface", problems).and_then(|(at, word)| surface(at, word, problems));
    listed.cost = fields.number("cost", problems);
    listed.operation = fields.text("operation", problems).and_then(|(at, text)| {
        operation::parse(text)
            .map(|read| (at, read))
            .map_err(|message| problems.add(at, message))
            .ok()
    });
    refuse_missing(item.at, &fields, &listed, problems);
    Some(listed)
}

fn surface(at: Span, word: &str, problems: &mut Problems<'_>) -> Option<Surface> {
    let entrances = [Surface::Rest, Surface::Gateway];
    let surface = entrances.into_iter().find(|surface| surface.word() == word);
    if surface.is_none() {
        let words = entrances.map(Surface::word);
        let near = did_you_mean(word, words);
        let given = quoted(word);
        let accepted = one_of(words);
        problems.add(at, format!("surface {given}; an action enters by {accepted}{near}"));
    }
    surface
}

fn refuse_missing(at: Span, fields: &Fields<'_>, listed: &Listed, problems: &mut Problems<'_>) {
    let action = match &listed.id {
        Some((_, id)) => format!("action {}", quoted(id)),
        None => "this action".to_owned(),
    };
    for key in ["id", "class", "surface"] {
        if !fields.has(key) {
            problems.add(at, format!("{action} has no `{key}`"));
        }
    }
    match listed.surface {
        Some(Surface::Rest) if !fields.has("operation") => problems.add(
            at,
            format!("{action} enters by `rest` and has no `operation`; write its method and path"),
        ),
        Some(Surface::Gateway) => {
            if let Some(at) = fields.value("operation").map(|node| node.at) {
                problems.add(
                    at,
                    format!("{action} enters by `gateway` and has an `operation`; leave it out"),
                );
            }
        }
        _ => {}
    }
}

/// The keys and values of one entry.
struct Fields<'a> {
    given: HashMap<&'static str, (&'a Node, &'a Node)>,
    /// Known keys that an unknown one is a misspelling of, and that are therefore not missing.
    meant: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    fn of(entries: &'a [(Node, Node)], problems: &mut Problems<'_>) -> Self {
        let mut fields = Self { given: HashMap::new(), meant: Vec::new() };
        for (key, value) in entries {
            let Some(text) = key.scalar() else {
                problems.add(key.at, format!("a key is one of {}", one_of(KEYS)));
                continue;
            };
            match KEYS.into_iter().find(|known| *known == text) {
                Some(known) => {
                    if let Some((first, _)) = fields.given.insert(known, (key, value)) {
                        let line = first.at.start.line;
                        problems.add(
                            key.at,
                            format!("`{known}` is given twice; the first is on line {line}"),
                        );
                    }
                }
                None => fields.unknown(key.at, text, problems),
            }
        }
        fields
    }

    fn unknown(&mut self, at: Span, key: &str, problems: &mut Problems<'_>) {
        let near =
            nearest(key, KEYS).and_then(|near| KEYS.into_iter().find(|known| *known == near));
        self.meant.extend(near);
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the keys are {}", one_of(KEYS)),
        };
        problems.add(at, format!("unknown key {}; {hint}", quoted(key)));
    }

    fn has(&self, key: &str) -> bool {
        self.given.contains_key(key) || self.meant.contains(&key)
    }

    fn value(&self, key: &str) -> Option<&'a Node> {
        self.given.get(key).map(|(_, value)| *value)
    }

    fn text(&self, key: &str, problems: &mut Problems<'_>) -> Option<(Span, &'a str)> {
        let (name, node) = self.given.get(key)?;
        match node.scalar() {
            _ if node.is_empty() => problems.add(name.at, format!("`{key}` is empty")),
            Some(text) => return Some((node.at, text)),
            None if matches!(node.value, Value::Refused) => {}
            None => problems.add(node.at, format!("`{key}` is not text; write one word or line")),
        }
        None
    }

    fn number(&self, key: &str, problems: &mut Problems<'_>) -> Option<(Span, u32)> {
        let (at, text) = self.text(key, problems)?;
        if matches!(self.value(key)?.value, Value::Text(_)) {
            problems.add(at, format!("{key} is text; write the number without quotes"));
            return None;
        }
        match number::parse(text, u32::MAX) {
            Ok(number) => Some((at, number)),
            Err(message) => {
                problems.add(at, format!("{key} {message}"));
                None
            }
        }
    }
}

fn refuse_duplicates(listed: &[Listed], problems: &mut Problems<'_>) {
    let mut ids = HashMap::new();
    let mut variants = HashMap::new();
    for action in listed {
        let Some((at, id)) = &action.id else { continue };
        if let Some(line) = ids.insert(id, at.start.line) {
            problems.add(*at, format!("action {} is already on line {line}", quoted(id)));
        } else if let Some(variant) = &action.variant {
            if let Some(first) = variants.insert(variant, id) {
                problems.add(
                    *at,
                    format!("`{first}` and `{id}` both become the identifier `{variant}`"),
                );
            }
        }
    }
    routes::refuse_conflicts(
        listed.iter().filter_map(|action| action.operation.as_ref()),
        problems,
    );
}
