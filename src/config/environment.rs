//! Settings from variables of the environment.
//!
//! A variable's name does not tell where its key has dots, so names are not translated back:
//! every known key is translated forth, and a variable is looked up among them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

use super::fault::{Fault, Origin, Problem, shown};
use super::keys::AnyKey;
use super::layers::Layers;
use crate::nearest::nearest;

/// A variable of the environment that has the prefix of the settings, or is nearly one of the server's,
/// and is none of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    variable: String,
    nearest: Option<String>,
}

impl Warning {
    /// The name of the variable.
    #[must_use]
    pub fn variable(&self) -> &str {
        &self.variable
    }

    /// The variable that may have been meant.
    #[must_use]
    pub fn nearest(&self) -> Option<&str> {
        self.nearest.as_deref()
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "environment variable {} sets nothing", shown(&self.variable))?;
        self.nearest.iter().try_for_each(|nearest| write!(f, "; did you mean {nearest}?"))
    }
}

/// Lays the variables over the other settings; gives back those that have no meaning.
pub(super) fn read(
    layers: &mut Layers,
    prefix: &str,
    variables: Vec<(OsString, OsString)>,
) -> Vec<Warning> {
    let known = known(layers, prefix);
    let ours = format!("{prefix}RATELIMIT_");
    let server = format!("{prefix}SERVER_");
    let mut warnings = Vec::new();
    for (name, value) in variables {
        let Some(name) = name.to_str() else { continue };
        match known.get(name).map(Vec::as_slice) {
            Some([(path, key)]) => set(layers, name, path, *key, value),
            Some(paths) => {
                let paths: Vec<&str> = paths.iter().map(|(path, _)| path.as_str()).collect();
                layers.faults.extend(ambiguous(name, &paths));
            }
            None => {
                let near = |table: &str| {
                    // What all names begin with does not make them alike.
                    let rest = name.strip_prefix(table)?;
                    let names = known.keys().filter_map(|known| known.strip_prefix(table));
                    nearest(rest, names).map(|near| format!("{table}{near}"))
                };
                let may_suggest = warnings.len() < MOST_SUGGESTIONS;
                let nearest = may_suggest.then(|| near(&ours).or_else(|| near(&server))).flatten();
                // Other variables of a server may be the program's own.
                if nearest.is_some() || name.starts_with(&ours) {
                    warnings.push(Warning { variable: name.to_owned(), nearest });
                }
            }
        }
    }
    for warning in &warnings {
        tracing::warn!("{warning}");
    }
    warnings
}

/// A process may have thousands of foreign variables; nobody reads so many suggestions.
const MOST_SUGGESTIONS: usize = 100;

type Known = BTreeMap<String, Vec<(String, &'static dyn AnyKey)>>;

/// Every variable that means something, with the keys that it sets.
fn known(layers: &Layers, prefix: &str) -> Known {
    let mut known = Known::new();
    for (path, key) in layers.known() {
        known.entry(format!("{prefix}{}", variable(&path))).or_default().push((path, key));
    }
    known
}

/// The name of the variable that sets the key at `path`.
fn variable(path: &str) -> String {
    path.replace(['[', ']'], ".")
        .split('.')
        .filter(|part| !part.is_empty())
        .map(|part| part.replace(|c: char| !c.is_ascii_alphanumeric(), "_").to_ascii_uppercase())
        .collect::<Vec<_>>()
        .join("_")
}

fn set(layers: &mut Layers, name: &str, path: &str, key: &dyn AnyKey, value: OsString) {
    let origin = Origin::Environment(name.to_owned());
    if let Ok(text) = value.into_string() {
        layers.set(path.to_owned(), key.parse(&text), &origin);
    } else {
        let reason = format!("is not Unicode; must be {}", key.accepted());
        layers.faults.push(Fault::new(path, Problem::Conflict { reason }).from(&origin));
    }
}

/// Two keys whose variables have one name: only a file or code can tell them apart.
fn ambiguous<'a>(name: &'a str, paths: &'a [&str]) -> impl Iterator<Item = Fault> + 'a {
    let reason = format!("the variable means {}; set them in the file", paths.join(" and "));
    paths.iter().map(move |path| {
        Fault::new(*path, Problem::Conflict { reason: reason.clone() })
            .from(&Origin::Environment(name.to_owned()))
    })
}
