//! Settings made by the program, section by section.

use std::time::Duration;

use super::choices::{Anonymous, EdgeKey, FailureMode, MissingHeader, Mode, Saturation};
use super::keys::{self, AnyKey};
use super::value::Value;
use crate::limits::Refill;

/// The settings of one section that code makes; checked with everything else.
#[derive(Clone, Default)]
pub(super) struct Code(Vec<(String, Value)>);

impl Code {
    pub(super) fn set(&mut self, table: &str, key: &dyn AnyKey, value: Value) {
        self.0.push((format!("{table}.{}", key.name()), value));
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(super) fn settings(self) -> Vec<(String, Value)> {
        self.0
    }
}

/// Sets keys of one class; see [`ConfigBuilder::class`](super::ConfigBuilder::class).
#[derive(Debug)]
#[must_use]
pub struct ClassBuilder {
    table: String,
    code: Code,
}

impl ClassBuilder {
    pub(super) fn new(class: &str) -> Self {
        Self { table: format!("ratelimit.{class}"), code: Code::default() }
    }

    pub(super) fn code(self) -> Code {
        self.code
    }

    /// How many tokens a bucket gains in a minute.
    pub fn per_minute(self, tokens: u64) -> Self {
        self.set(&keys::PER_MINUTE, Value::integer(tokens))
    }

    /// How many tokens a bucket holds.
    pub fn burst(self, tokens: u64) -> Self {
        self.set(&keys::BURST, Value::integer(tokens))
    }

    /// Whether the class limits anything.
    pub fn enabled(self, enabled: bool) -> Self {
        self.set(&keys::ENABLED, Value::Boolean(enabled))
    }

    /// Whether the class only counts what it would refuse.
    pub fn shadow(self, shadow: bool) -> Self {
        self.set(&keys::SHADOW, Value::Boolean(shadow))
    }

    /// Where the buckets live.
    pub fn mode(self, mode: Mode) -> Self {
        self.set(&keys::MODE, Value::word(mode.word()))
    }

    /// What is decided when the shared backend fails.
    pub fn failure_mode(self, failure_mode: FailureMode) -> Self {
        self.set(&keys::FAILURE_MODE, Value::word(failure_mode.word()))
    }

    /// A change of the revision starts fresh buckets.
    pub fn revision(self, revision: &str) -> Self {
        self.set(&keys::REVISION, Value::word(revision))
    }

    /// Lets each node take up to this many tokens of a clustered bucket for this long.
    pub fn lease(mut self, tokens: u64, ttl: Duration) -> Self {
        let table = format!("{}.lease", self.table);
        self.code.set(&table, &keys::LEASE_TOKENS, Value::integer(tokens));
        self.code.set(&table, &keys::LEASE_TTL, Value::Duration(ttl));
        self
    }

    /// Gives the class a registry of its own, of this many slots.
    pub fn max_tracked_keys(self, slots: u64) -> Self {
        self.set(&keys::MAX_TRACKED_KEYS, Value::integer(slots))
    }

    /// What a new key gets when the class's own registry is full.
    pub fn saturation(self, saturation: Saturation) -> Self {
        self.set(&keys::SATURATION, Value::word(saturation.word()))
    }

    /// What anonymous callers get.
    pub fn anonymous(self, anonymous: Anonymous) -> Self {
        self.set(&keys::ANONYMOUS, Value::word(anonymous.word()))
    }

    /// Gives the callers of a tier other limits.
    pub fn tier(mut self, name: &str, per_minute: u64, burst: u64) -> Self {
        let table = format!("{}.tiers.{name}", self.table);
        self.code.set(&table, &keys::PER_MINUTE, Value::integer(per_minute));
        self.code.set(&table, &keys::BURST, Value::integer(burst));
        self
    }

    fn set(mut self, key: &dyn AnyKey, value: Value) -> Self {
        self.code.set(&self.table, key, value);
        self
    }
}

/// Sets keys of one policy; see [`ConfigBuilder::policy`](super::ConfigBuilder::policy).
#[derive(Debug)]
#[must_use]
pub struct PolicyBuilder {
    table: String,
    code: Code,
}

impl PolicyBuilder {
    pub(super) fn new(name: &str) -> Self {
        Self { table: format!("ratelimit.policies.{name}"), code: Code::default() }
    }

    pub(super) fn code(self) -> Code {
        self.code
    }

    /// How many tokens a bucket gains in one period.
    pub fn tokens(self, tokens: u64) -> Self {
        self.set(&keys::TOKENS, Value::integer(tokens))
    }

    /// The time in which a bucket gains the tokens.
    pub fn period(self, period: Duration) -> Self {
        self.set(&keys::PERIOD, Value::Duration(period))
    }

    /// How many tokens a bucket holds.
    pub fn capacity(self, tokens: u64) -> Self {
        self.set(&keys::CAPACITY, Value::integer(tokens))
    }

    /// When the tokens of a period arrive.
    pub fn refill(self, refill: Refill) -> Self {
        let word = keys::REFILLS.iter().find(|(_, choice)| *choice == refill);
        self.set(&keys::REFILL, Value::word(word.map_or("", |(word, _)| word)))
    }

    /// The tokens of one acquire that names no cost.
    pub fn default_cost(self, tokens: u64) -> Self {
        self.set(&keys::DEFAULT_COST, Value::integer(tokens))
    }

    /// Whether the policy limits anything.
    pub fn enabled(self, enabled: bool) -> Self {
        self.set(&keys::ENABLED, Value::Boolean(enabled))
    }

    /// Where the buckets live.
    pub fn mode(self, mode: Mode) -> Self {
        self.set(&keys::MODE, Value::word(mode.word()))
    }

    /// What is decided when the shared backend fails.
    pub fn failure_mode(self, failure_mode: FailureMode) -> Self {
        self.set(&keys::FAILURE_MODE, Value::word(failure_mode.word()))
    }

    /// A change of the revision starts fresh buckets.
    pub fn revision(self, revision: &str) -> Self {
        self.set(&keys::REVISION, Value::word(revision))
    }

    fn set(mut self, key: &dyn AnyKey, value: Value) -> Self {
        self.code.set(&self.table, key, value);
        self
    }
}

/// Sets keys of one edge rule; see [`ConfigBuilder::edge`](super::ConfigBuilder::edge).
#[derive(Debug)]
#[must_use]
pub struct EdgeBuilder {
    table: String,
    code: Code,
}

impl EdgeBuilder {
    pub(super) fn new(position: usize) -> Self {
        Self { table: format!("ratelimit.edge[{position}]"), code: Code::default() }
    }

    pub(super) fn code(self) -> Code {
        self.code
    }

    /// The name, which the fields of a response show.
    pub fn name(self, name: &str) -> Self {
        self.set(&keys::EDGE_NAME, Value::word(name))
    }

    /// What the buckets are keyed by, all together.
    pub fn keys(self, keys: impl IntoIterator<Item = EdgeKey>) -> Self {
        let words = keys.into_iter().map(|key| Value::word(key.word())).collect();
        self.set(&keys::EDGE_KEYS, Value::List(words))
    }

    /// The header of [`EdgeKey::Header`].
    pub fn header(self, name: &str) -> Self {
        self.set(&keys::EDGE_HEADER, Value::word(name))
    }

    /// What a request without the header gets.
    pub fn missing(self, missing: MissingHeader) -> Self {
        self.set(&keys::EDGE_MISSING, Value::word(missing.word()))
    }

    /// How many tokens a bucket gains in a minute.
    pub fn per_minute(self, tokens: u64) -> Self {
        self.set(&keys::PER_MINUTE, Value::integer(tokens))
    }

    /// How many tokens a bucket holds.
    pub fn burst(self, tokens: u64) -> Self {
        self.set(&keys::BURST, Value::integer(tokens))
    }

    fn set(mut self, key: &dyn AnyKey, value: Value) -> Self {
        self.code.set(&self.table, key, value);
        self
    }
}

impl std::fmt::Debug for Code {
    /// Names nothing: code may set a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Code(..)")
    }
}
