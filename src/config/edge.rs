//! [`EdgeRule`]: a budget that every request meets before routing.

use std::collections::BTreeSet;

use super::choices::{EdgeKey, MissingHeader};
use super::keys;
use super::layers::Layers;
use super::read::{conflict, required, required_limits};
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

/// The edge rules, in their order.
pub(super) fn read(layers: &mut Layers) -> Vec<EdgeRule> {
    let mut positions: Vec<u32> = layers
        .under("ratelimit.edge[")
        .filter_map(|rest| rest.split_once(']')?.0.parse().ok())
        .collect();
    positions.sort_unstable();
    positions.dedup();
    let mut taken = BTreeSet::new();
    let rules = positions.into_iter().filter_map(|position| {
        let table = format!("ratelimit.edge[{position}]");
        let rule = read_edge_rule(layers, &table)?;
        if !taken.insert(rule.name.clone()) {
            let reason = "another rule has this name; names are unique".to_owned();
            conflict(layers, &table, &keys::EDGE_NAME, format!("{:?}", rule.name), reason);
        }
        Some(rule)
    });
    rules.collect()
}

fn read_edge_rule(layers: &mut Layers, table: &str) -> Option<EdgeRule> {
    let reason = "every rule has one";
    let name = required(layers, table, &keys::EDGE_NAME, reason);
    let edge_keys = required(layers, table, &keys::EDGE_KEYS, reason);
    let limits = required_limits(layers, table, reason);
    let by_header = edge_keys.as_ref().is_some_and(|keys| keys.contains(&EdgeKey::Header));
    let header = if by_header {
        required(layers, table, &keys::EDGE_HEADER, "the rule is keyed by a header")
    } else {
        None
    };
    if edge_keys.as_ref().is_some_and(|keys| keys.len() > 1 && keys.contains(&EdgeKey::Global)) {
        let reason = "\"global\" stands alone; remove it or the others".to_owned();
        conflict(layers, table, &keys::EDGE_KEYS, None, reason);
    }
    Some(EdgeRule {
        name: name?,
        keys: edge_keys?,
        header: header.map(|header| header.to_ascii_lowercase()),
        missing: layers.get(table, &keys::EDGE_MISSING).unwrap_or_default(),
        limits: limits?,
    })
}
