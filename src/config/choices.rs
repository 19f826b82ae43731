//! Settings that are one of a few words.

/// Where the buckets of a class or policy live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// In the backend that all nodes share.
    Clustered,
    /// In the memory of this process.
    #[default]
    Local,
}

/// What is decided when the shared backend fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureMode {
    /// Refuse.
    Closed,
    /// Admit.
    Open,
}

/// What a new key gets when a class's own registry has no slot free for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Saturation {
    /// It is refused.
    Closed,
    /// The slot of the bucket that has spent least.
    #[default]
    Evict,
    /// It is admitted and not tracked.
    Open,
}

/// What an anonymous caller gets in a class that is keyed by a principal or the like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Anonymous {
    /// No limit.
    Bypass,
    /// The bucket of its client address.
    #[default]
    ClientIp,
    /// A refusal with status 401.
    Deny,
    /// One bucket for all anonymous callers together.
    Shared,
}

/// The header that names the client behind trusted proxies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClientIpHeader {
    /// `Forwarded`, as RFC 7239 defines it.
    Forwarded,
    /// `X-Forwarded-For`.
    #[default]
    XForwardedFor,
}

/// What an edge rule is keyed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EdgeKey {
    /// The client's address.
    ClientIp,
    /// Everybody together.
    Global,
    /// The value of the rule's header.
    Header,
}

/// What an edge rule does with a request whose header is missing or repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MissingHeader {
    /// The rule does not apply.
    Bypass,
    /// All such requests share one bucket.
    #[default]
    Shared,
}

/// The words of each choice, in the order in which faults list them, and the way back.
macro_rules! words {
    ($($choice:ident { $($word:literal => $variant:ident),+ })+) => {$(
        impl $choice {
            pub(super) const WORDS: &[(&str, Self)] = &[$(($word, Self::$variant)),+];

            pub(super) fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }
    )+};
}

words! {
    Mode { "local" => Local, "clustered" => Clustered }
    FailureMode { "open" => Open, "closed" => Closed }
    Saturation { "evict" => Evict, "open" => Open, "closed" => Closed }
    Anonymous {
        "client_ip" => ClientIp, "shared" => Shared, "bypass" => Bypass, "deny" => Deny
    }
    ClientIpHeader { "x-forwarded-for" => XForwardedFor, "forwarded" => Forwarded }
    EdgeKey { "global" => Global, "client_ip" => ClientIp, "header" => Header }
    MissingHeader { "shared" => Shared, "bypass" => Bypass }
}
