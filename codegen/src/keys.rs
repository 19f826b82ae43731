//! The configuration keys with type, default, range and purpose.

/// One key of the configuration, as the reference describes it.
#[derive(Debug)]
pub(crate) struct Key {
    /// The key below its table. A part in angle brackets is a name that the user chooses.
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) default: &'static str,
    pub(crate) range: &'static str,
    pub(crate) text: &'static str,
}

/// A row of the reference: name, type, default, range, what it does.
const fn key(
    name: &'static str,
    kind: &'static str,
    default: &'static str,
    range: &'static str,
    text: &'static str,
) -> Key {
    Key { name, kind, default, range, text }
}

const U32: &str = "1 to 4294967295";
/// A minute of ten million tokens a second, which is the most that a bucket can count.
const RATE: &str = "1 to 600000000";
const TRILLION: &str = "1 to 1000000000000";
const NAME: &str = "1 to 128 letters, digits and . _ ~ -";

/// The keys of the limiter.
pub(crate) const LIMITER: [Key; 6] = [
    key(
        "enabled",
        "boolean",
        "true",
        "true or false",
        "Whether anything is limited. Everything else is checked all the same.",
    ),
    key(
        "max_tracked_keys",
        "integer",
        "100000",
        "1 to 4294967296",
        "The number of slots for buckets, all classes together that have no registry of their own.",
    ),
    key(
        "sweep_interval",
        "duration",
        "\"60s\"",
        "\"1s\" to \"1d\"",
        "The time between two sweeps of full buckets.",
    ),
    key(
        "default_mode",
        "word",
        "\"local\"",
        "\"local\" or \"clustered\"",
        "Where the buckets of a class live that does not say so itself.",
    ),
    key(
        "ipv6_prefix",
        "integer",
        "64",
        "8 to 128",
        "The bits of an IPv6 address that tell clients apart.",
    ),
    key(
        "key_secret",
        "text",
        "none",
        "32 bytes or more",
        "The secret of the keys in the shared backend; required when a class is clustered. A secret, never shown.",
    ),
];

/// The keys of a class, in the order of the reference.
pub(crate) const CLASS: [Key; 14] = [
    key(
        "per_minute",
        "integer",
        "from the catalogue",
        RATE,
        "The tokens that a bucket gains in a minute.",
    ),
    key(
        "burst",
        "integer",
        "from the catalogue",
        U32,
        "The tokens that a bucket holds; at least the cost of each action of the class.",
    ),
    key("enabled", "boolean", "true", "true or false", "Whether the class limits anything."),
    key(
        "shadow",
        "boolean",
        "false",
        "true or false",
        "Whether the class only counts what it would refuse.",
    ),
    key(
        "mode",
        "word",
        "`ratelimit.default_mode`",
        "\"local\" or \"clustered\"",
        "Where the buckets live: in this process, or in the backend that all nodes share.",
    ),
    key(
        "failure_mode",
        "word",
        "none",
        "\"open\" or \"closed\"",
        "Whether to admit or to refuse when the shared backend fails; required when the class is clustered.",
    ),
    key(
        "revision",
        "text",
        "none",
        "1 to 32 letters, digits and . _ -",
        "Part of the identity of each bucket: a new revision starts with fresh ones.",
    ),
    key(
        "lease.tokens",
        "integer",
        "none",
        U32,
        "The tokens of a clustered bucket that a node takes at once, to spend them by itself.",
    ),
    key("lease.ttl", "duration", "none", "\"1ms\" to \"1m\"", "How long a node may hold them."),
    key(
        "max_tracked_keys",
        "integer",
        "none",
        "1 to 4294967296",
        "The number of slots of a registry that the class has for itself.",
    ),
    key(
        "saturation",
        "word",
        "\"evict\"",
        "\"evict\", \"open\" or \"closed\"",
        "What a new key gets when that registry has no slot for it: another's slot, no limit, or a refusal.",
    ),
    key(
        "anonymous",
        "word",
        "\"client_ip\"",
        "\"client_ip\", \"shared\", \"bypass\" or \"deny\"",
        "What a caller without an identity gets where the key needs one: the bucket of its address, one for all of them, no limit, or status 401.",
    ),
    key(
        "tiers.<name>.per_minute",
        "integer",
        "the class's",
        RATE,
        "The refill for callers of a tier.",
    ),
    key("tiers.<name>.burst", "integer", "the class's", U32, "The capacity for callers of a tier."),
];

/// Budgets for handlers that declare nothing.
pub(crate) const DEFAULTS: [Key; 4] = [
    key("tenant.per_minute", "integer", "none", RATE, "The refill of the budget of each tenant."),
    key("tenant.burst", "integer", "none", U32, "Its capacity."),
    key(
        "ip.per_minute",
        "integer",
        "none",
        RATE,
        "The refill of the budget of each client address.",
    ),
    key("ip.burst", "integer", "none", U32, "Its capacity."),
];

/// Rules before routing, a list.
pub(crate) const EDGE: [Key; 6] = [
    key(
        "name",
        "text",
        "required",
        NAME,
        "The name of the rule, which the fields of a response show.",
    ),
    key(
        "keys",
        "list",
        "required",
        "\"global\", \"client_ip\" or \"header\", each at most once",
        "What the buckets are keyed by, all together; \"global\" stands alone.",
    ),
    key(
        "header",
        "text",
        "none",
        "1 to 128 letters, digits and ! # $ % & ' * + - . ^ _ ` | ~",
        "The name of the header; required when \"header\" is among the keys.",
    ),
    key(
        "missing",
        "word",
        "\"shared\"",
        "\"shared\" or \"bypass\"",
        "What a request gets whose header is missing or repeated: a bucket of all such requests, or no limit by this rule.",
    ),
    key("per_minute", "integer", "required", RATE, "The tokens that a bucket gains in a minute."),
    key("burst", "integer", "required", U32, "The tokens that a bucket holds."),
];

/// Limits that only configuration or code knows.
pub(crate) const POLICIES: [Key; 9] = [
    key(
        "tokens",
        "integer",
        "required",
        TRILLION,
        "The tokens that a bucket gains in one period; at most ten million a second.",
    ),
    key("period", "duration", "required", "\"1ms\" to \"365d\"", "The period."),
    key("capacity", "integer", "required", TRILLION, "The tokens that a bucket holds."),
    key(
        "refill",
        "word",
        "\"greedy\"",
        "\"greedy\" or \"interval\"",
        "Whether tokens come all the time, or all at once when a period ends.",
    ),
    key(
        "default_cost",
        "integer",
        "1",
        TRILLION,
        "The tokens of one call that names no cost; at most the capacity.",
    ),
    key("enabled", "boolean", "true", "true or false", "Whether the policy limits anything."),
    key(
        "mode",
        "word",
        "`ratelimit.default_mode`",
        "\"local\" or \"clustered\"",
        "Where the buckets live: in this process, or in the backend that all nodes share.",
    ),
    key(
        "failure_mode",
        "word",
        "none",
        "\"open\" or \"closed\"",
        "Whether to admit or to refuse when the shared backend fails; required when the policy is clustered.",
    ),
    key(
        "revision",
        "text",
        "none",
        "1 to 32 letters, digits and . _ -",
        "Part of the identity of each bucket: a new revision starts with fresh ones.",
    ),
];

/// The shared backend.
pub(crate) const REDIS: [Key; 4] = [
    key(
        "url",
        "text",
        "none",
        "redis://, redis+cluster:// or redis+sentinel://, and each as rediss",
        "The address of the backend; required when a class is clustered. A secret, never shown.",
    ),
    key(
        "namespace",
        "text",
        "none",
        NAME,
        "The first part of every key in the backend; required when a class is clustered.",
    ),
    key(
        "operation_timeout",
        "duration",
        "none",
        "\"1ms\" to \"1m\"",
        "The time after which the failure mode decides; required when a class is clustered.",
    ),
    key(
        "expiration_slack",
        "duration",
        "\"60s\"",
        "\"1ms\" to \"1d\"",
        "How much longer than its time to full a bucket is kept.",
    ),
];

/// The keys outside `ratelimit`.
pub(crate) const SERVER: [Key; 2] = [
    key(
        "trusted_proxies",
        "list",
        "empty",
        "networks and addresses",
        "The peers whose header about the client is believed.",
    ),
    key(
        "client_ip_header",
        "word",
        "\"x-forwarded-for\"",
        "\"x-forwarded-for\" or \"forwarded\"",
        "The one header about the client that is read; the other never is.",
    ),
];
