//! [`EdgeRule`]: a budget that every request meets before routing.

use std::collections::{BTreeMap, BTreeSet};

use super::choices::{EdgeKey, MissingHeader};
use super::fault::{Fault, Problem};
use super::keys;
use super::layers::Layers;
use super::read::{conflict, required, required_limits};
use crate::catalogue::Catalogue;
use crate::limits::Limits;

/// One checked budget that every request meets before routing.
#[derive(Clone, Debug)]
pub struct EdgeRule {
    pub(crate) name: String,
    /// At least one, each once; `Global` stands alone.
    pub(crate) keys: Vec<EdgeKey>,
    /// Always there when `keys` has `Header`; in lower case.
    pub(crate) header: Option<String>,
    pub(crate) missing: MissingHeader,
    pub(crate) limits: Limits,
}

impl EdgeRule {
    /// The name, which the fields of a response show.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the buckets are keyed by, all together.
    #[must_use]
    pub fn keys(&self) -> &[EdgeKey] {
        &self.keys
    }

    /// The header of [`EdgeKey::Header`], in lower case.
    #[must_use]
    pub fn header(&self) -> Option<&str> {
        self.header.as_deref()
    }

    /// What a request without the header gets.
    #[must_use]
    pub fn missing(&self) -> MissingHeader {
        self.missing
    }

    /// The limits of each bucket.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }
}

/// The names of the default budgets in the fields of a response.
const DEFAULTS: [&str; 2] = ["default.tenant", "default.ip"];

/// The edge rules, in their order.
pub(super) fn read<C: Catalogue>(layers: &mut Layers) -> Vec<EdgeRule> {
    let positions = layers.under("ratelimit.edge[").filter_map(|rest| rest.split_once(']'));
    let positions: BTreeSet<u32> = positions.filter_map(|(at, _)| at.parse().ok()).collect();
    // The fields of a response tell limits apart by their names alone.
    let classes = C::ALL.iter().map(|class| (class.to_string(), "a class".to_owned()));
    let defaults = DEFAULTS.map(|name| (name.to_owned(), "a default budget".to_owned()));
    let mut taken: BTreeMap<String, String> = classes.chain(defaults).collect();
    let tables = positions.into_iter().map(|position| format!("ratelimit.edge[{position}]"));
    tables.filter_map(|table| read_rule(layers, &table, &mut taken)).collect()
}

fn read_rule(
    layers: &mut Layers,
    table: &str,
    taken: &mut BTreeMap<String, String>,
) -> Option<EdgeRule> {
    let reason = "every rule has one";
    let name = required(layers, table, &keys::EDGE_NAME, reason);
    let edge_keys = required(layers, table, &keys::EDGE_KEYS, reason);
    let limits = required_limits(layers, table, reason);
    let header = match &edge_keys {
        Some(keys) => read_header(layers, table, keys),
        None => None,
    };
    if let Some(name) = &name {
        if let Some(other) = taken.get(name) {
            let reason = format!("is also the name of {other}; choose another");
            conflict(layers, table, &keys::EDGE_NAME, format!("{name:?}"), reason);
        }
        taken.entry(name.clone()).or_insert_with(|| table.to_owned());
    }
    Some(EdgeRule {
        name: name?,
        keys: edge_keys?,
        header,
        missing: layers.get(table, &keys::EDGE_MISSING).unwrap_or_default(),
        limits: limits?,
    })
}

/// The name of the header, which goes together with the key of that name.
fn read_header(layers: &mut Layers, table: &str, edge_keys: &[EdgeKey]) -> Option<String> {
    if edge_keys.len() > 1 && edge_keys.contains(&EdgeKey::Global) {
        let reason = "\"global\" stands alone; remove it or the others".to_owned();
        conflict(layers, table, &keys::EDGE_KEYS, None, reason);
    }
    if edge_keys.contains(&EdgeKey::Header) {
        let reason = "the rule is keyed by a header";
        let header = required(layers, table, &keys::EDGE_HEADER, reason);
        return header.map(|header| header.to_ascii_lowercase());
    }
    for key in [keys::EDGE_HEADER.name, keys::EDGE_MISSING.name] {
        let path = format!("{table}.{key}");
        if let Some(origin) = layers.origin(&path).cloned() {
            let reason = "means nothing here; add \"header\" to the keys or remove it".to_owned();
            layers.faults.push(Fault::new(path, Problem::Conflict { reason }).from(&origin));
        }
    }
    None
}
