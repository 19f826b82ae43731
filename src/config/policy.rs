//! [`PolicyConfig`]: limits with a name that the catalogue does not know.

use super::class::{Placement, read_placement};
use super::fault::{Fault, Problem};
use super::keys;
use super::layers::Layers;
use super::read::{check_name, conflict, names, required};
use crate::bucket::Countable;
use crate::limits::{InvalidLimits, Limits};

/// How many policies there may be.
const MOST: usize = 10_000;
/// The fastest refill that a bucket can count.
const MOST_PER_MICROSECOND: u128 = 10;
const TABLE: &str = "ratelimit.policies";

/// The checked settings of one policy.
#[derive(Clone, Debug)]
pub struct PolicyConfig {
    pub(crate) name: String,
    pub(crate) enabled: bool,
    pub(crate) limits: Limits,
    pub(crate) placement: Placement,
    pub(crate) revision: Option<String>,
    pub(crate) default_cost: u64,
}

impl PolicyConfig {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the policy limits anything.
    #[must_use]
    pub fn enabled(&self) -> bool {
        self.enabled
    }

    /// The limits of each bucket.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Where the buckets live.
    #[must_use]
    pub fn placement(&self) -> Placement {
        self.placement
    }

    /// The revision; buckets of another one are not met again.
    #[must_use]
    pub fn revision(&self) -> Option<&str> {
        self.revision.as_deref()
    }

    /// The tokens of one acquire that names no cost.
    #[must_use]
    pub fn default_cost(&self) -> u64 {
        self.default_cost
    }
}

/// The policies, in the order of their names.
pub(super) fn read(layers: &mut Layers) -> Vec<PolicyConfig> {
    let names = names(layers, &format!("{TABLE}."));
    if names.len() > MOST {
        let accepted = format!("at most {MOST} policies");
        let fault = Fault::new(TABLE, Problem::Invalid { accepted });
        layers.faults.push(fault.given(format!("{} policies", names.len())));
    }
    names.into_iter().filter_map(|name| read_policy(layers, name)).collect()
}

fn read_policy(layers: &mut Layers, name: String) -> Option<PolicyConfig> {
    let table = format!("{TABLE}.{name}");
    check_name(layers, &table, &name);
    let limits = read_limits(layers, &table);
    let placement = read_placement(layers, &table, None);
    if let Some(limits) = limits.filter(|_| placement == Placement::Local) {
        check_countable(layers, &table, limits);
    }
    let default_cost = layers.get(&table, &keys::DEFAULT_COST).unwrap_or(1);
    if let Some(limits) = limits.filter(|limits| limits.capacity() < default_cost) {
        let reason = format!("must be at most the capacity, {}", limits.capacity());
        conflict(layers, &table, &keys::DEFAULT_COST, default_cost.to_string(), reason);
    }
    Some(PolicyConfig {
        enabled: layers.get(&table, &keys::ENABLED).unwrap_or(true),
        placement,
        revision: layers.get(&table, &keys::REVISION),
        default_cost,
        limits: limits?,
        name,
    })
}

fn read_limits(layers: &mut Layers, table: &str) -> Option<Limits> {
    let reason = "a policy has tokens, period and capacity";
    let tokens = required(layers, table, &keys::TOKENS, reason);
    let period = required(layers, table, &keys::PERIOD, reason);
    let capacity = required(layers, table, &keys::CAPACITY, reason);
    let refill = layers.get(table, &keys::REFILL).unwrap_or_default();
    let (tokens, period) = (tokens?, period?);
    match Limits::new(tokens, period, capacity?) {
        Ok(limits) => Some(limits.refilled(refill)),
        Err(InvalidLimits::Rate { .. }) => {
            let most = period.as_micros() * MOST_PER_MICROSECOND;
            let reason =
                format!("must be at most {most} for this period, which is ten million a second");
            conflict(layers, table, &keys::TOKENS, tokens.to_string(), reason);
            None
        }
        // Only code can say a period that is not whole microseconds.
        Err(error) => {
            conflict(layers, table, &keys::PERIOD, None, error.to_string());
            None
        }
    }
}

/// A bucket of this process is one word, and some limits need more to be counted without rounding. Limits per minute never do.
fn check_countable(layers: &mut Layers, table: &str, limits: Limits) {
    let Some(Countable { tokens, capacity }) = Countable::near(limits) else { return };
    let tokens =
        tokens.map(|tokens| format!("the nearest tokens that it can count are {tokens}; "));
    let capacity =
        capacity.map(|capacity| format!("with these tokens the capacity can be {capacity}; "));
    let reason = format!(
        "with this period and capacity a bucket cannot be counted exactly in the memory of one process; {}{}or set \
         mode to clustered, which counts all limits",
        tokens.unwrap_or_default(),
        capacity.unwrap_or_default(),
    );
    conflict(layers, table, &keys::TOKENS, limits.tokens().to_string(), reason);
}
