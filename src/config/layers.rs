//! [`Layers`]: settings from code, files and the environment, checked one by one and merged.

use std::collections::{BTreeMap, BTreeSet};

use super::fault::{Fault, Origin, Problem};
use super::keys::{AnyKey, Key};
use super::kind::{Kind, Rejected, describe};
use super::schema::{Meant, Place, Schema};
use super::value::Value;

/// Settings in the making: each layer is checked and laid over those before it.
pub(super) struct Layers {
    pub(super) schema: Schema,
    pub(super) faults: Vec<Fault>,
    merged: BTreeMap<String, Entry>,
}

/// What a key is set to.
struct Entry {
    /// None when the value was not accepted; the fault is known then.
    value: Option<Value>,
    origin: Origin,
}

impl Layers {
    pub(super) fn new(schema: Schema) -> Self {
        Self { schema, faults: Vec::new(), merged: BTreeMap::new() }
    }

    /// Lays the settings of a file, or those made by code, over what there is.
    pub(super) fn add(&mut self, settings: Value, origin: &Origin) {
        let mut flat = Vec::new();
        match settings {
            Value::Table(entries) => flatten("", entries, &mut flat),
            Value::Null => {}
            other => {
                let given = match &other {
                    // A file of another format, which may hold secrets.
                    Value::Text(_) => "a text".to_owned(),
                    other => describe(other),
                };
                let fault = Fault::new("(the whole)", accepted("a table of keys"));
                self.faults.push(fault.given(given).from(origin));
            }
        }
        for (path, value) in &mut flat {
            // An empty table names something all the same: it stands as a key without a name.
            if matches!(value, Value::Table(_)) && self.schema.open_section(path).is_some() {
                path.push('.');
            }
        }
        self.replace_whole(&flat);
        let mut seen = BTreeSet::new();
        for (path, value) in flat {
            if !seen.insert(path.clone()) {
                if !matches!(self.schema.place(&path), Place::Foreign) {
                    self.faults.push(Fault::new(path, Problem::Repeated).from(origin));
                }
                continue;
            }
            self.set(path, value, origin);
        }
    }

    /// Checks one setting and lays it over what there is.
    pub(super) fn set(&mut self, path: String, value: Value, origin: &Origin) {
        let problem = match self.schema.place(&path) {
            Place::Key(key) => {
                let value = check(&path, key, value, origin, &mut self.faults);
                self.merged.insert(path, Entry { value, origin: origin.clone() });
                return;
            }
            Place::Foreign => return,
            Place::Table => match value {
                Value::Table(_) | Value::Null => {
                    if path.ends_with('.') {
                        let origin = origin.clone();
                        self.merged.insert(path, Entry { value: None, origin });
                    }
                    return;
                }
                // Names may have dots, so a wrong key of a named table could also be a name.
                _ if self.schema.is_in_open_section(&path) => unknown(self.schema.meant(&path)),
                _ => accepted("a table of keys"),
            },
            Place::List => match value {
                Value::List(list) if list.is_empty() => return,
                Value::Null => return,
                _ => accepted("a list of tables"),
            },
            Place::Within(parent, key) => {
                let fault = Fault::new(parent, accepted(key.accepted()));
                self.faults.push(fault.given("a table".to_owned()).from(origin));
                return;
            }
            Place::InList(table) => {
                let fault = Fault::new(table, accepted("a table of keys"));
                self.faults.push(fault.given("a list".to_owned()).from(origin));
                return;
            }
            Place::Unknown(meant) => unknown(meant),
        };
        self.faults.push(Fault::new(path, problem).from(origin));
    }

    /// The checked value of a key that is set and accepted.
    pub(super) fn get<K: Kind>(&self, table: &str, key: &Key<K>) -> Option<K::Checked> {
        let entry = self.merged.get(&format!("{table}.{}", key.name))?;
        key.kind.check(entry.value.as_ref()?).ok()
    }

    /// Whether a key is set, to whatever.
    pub(super) fn has(&self, path: &str) -> bool {
        self.merged.contains_key(path)
    }

    /// Where a key was set.
    pub(super) fn origin(&self, path: &str) -> Option<&Origin> {
        self.merged.get(path).map(|entry| &entry.origin)
    }

    /// The paths that are set under `prefix`, with what follows it.
    pub(super) fn under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        let from = self.merged.range(prefix.to_owned()..).map(|(path, _)| path.as_str());
        from.map_while(move |path| path.strip_prefix(prefix))
    }

    /// Every key that the environment may set: the fixed ones, and those of what has been named.
    pub(super) fn known(&self) -> BTreeMap<String, &'static dyn AnyKey> {
        let mut known: BTreeMap<_, _> =
            self.schema.fixed().map(|(path, key)| (path.to_owned(), key)).collect();
        let tables = self.merged.keys().filter_map(|path| Some(path.rsplit_once('.')?.0));
        for table in tables.collect::<BTreeSet<_>>() {
            if let Some(section) = self.schema.open_section(table) {
                known.extend(
                    section.keys.iter().map(|key| (format!("{table}.{}", key.name()), *key)),
                );
            }
        }
        known
    }

    /// The edge rules of a later layer replace those of an earlier one, and each policy replaces
    /// the one of its name.
    fn replace_whole(&mut self, layer: &[(String, Value)]) {
        if layer.iter().any(|(path, _)| is_edge(path)) {
            self.merged.retain(|path, _| !is_edge(path));
        }
        let policy = |path: &str| {
            let (table, _) = path.strip_prefix(POLICIES)?.rsplit_once('.')?;
            Some(table.to_owned())
        };
        let replaced: BTreeSet<_> = layer.iter().filter_map(|(path, _)| policy(path)).collect();
        self.merged.retain(|path, _| policy(path).is_none_or(|name| !replaced.contains(&name)));
    }
}

const POLICIES: &str = "ratelimit.policies.";

/// Whether `path` is of the edge rules, and not of a class whose name begins like them.
fn is_edge(path: &str) -> bool {
    let rest = path.strip_prefix("ratelimit.edge");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
}

/// Checks a value on the rule of its key; gives it back when it passes.
fn check(
    path: &str,
    key: &dyn AnyKey,
    value: Value,
    origin: &Origin,
    faults: &mut Vec<Fault>,
) -> Option<Value> {
    let given = |value: &Value| (!key.is_secret()).then(|| describe(value));
    match key.check(&value) {
        Ok(()) => return Some(value),
        Err(Rejected::Whole) => {
            let fault = Fault::new(path, accepted(key.accepted()));
            faults.push(fault.given(given(&value)).from(origin));
        }
        Err(Rejected::Elements(positions)) => {
            let list = if let Value::List(list) = &value { list.as_slice() } else { &[] };
            faults.extend(positions.into_iter().map(|at| {
                let fault = Fault::new(format!("{path}[{at}]"), accepted(key.accepted_element()));
                fault.given(list.get(at).and_then(given)).from(origin)
            }));
        }
    }
    None
}

fn unknown(Meant { nearest, known }: Meant) -> Problem {
    Problem::Unknown { nearest, known }
}

fn accepted(accepted: impl Into<String>) -> Problem {
    Problem::Invalid { accepted: accepted.into() }
}

/// Spells nested tables as dotted paths; the tables of a list get their position.
fn flatten(path: &str, entries: Vec<(String, Value)>, flat: &mut Vec<(String, Value)>) {
    for (name, value) in entries {
        let path = if path.is_empty() { name } else { format!("{path}.{name}") };
        flatten_value(path, value, flat);
    }
}

fn flatten_value(path: String, value: Value, flat: &mut Vec<(String, Value)>) {
    match value {
        Value::Table(entries) if !entries.is_empty() => flatten(&path, entries, flat),
        Value::List(list) if list.iter().any(|element| matches!(element, Value::Table(_))) => {
            for (position, element) in list.into_iter().enumerate() {
                flatten_value(format!("{path}[{position}]"), element, flat);
            }
        }
        value => flat.push((path, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_may_begin_like_the_edge_rules() {
        assert!(is_edge("ratelimit.edge") && is_edge("ratelimit.edge[0].burst"));
        assert!(!is_edge("ratelimit.edge_of.the_world.burst"));
        assert!(!is_edge("ratelimit.edge.burst"));
    }
}
