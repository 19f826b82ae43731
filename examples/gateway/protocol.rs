//! What client and server say to each other: one JSON object a frame.

use serde::{Deserialize, Serialize};

/// What a client says.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(super) enum Request {
    /// First of all: who it is.
    Identify { token: String },
    /// That its user is typing.
    Typing { channel: String },
}

/// What the server says.
#[derive(Debug, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(super) enum Event<'a> {
    /// A limit is used up for these seconds.
    RateLimited { class: &'a str, retry_after: u64 },
    /// The connection is set up.
    Ready { connection: &'a str },
    /// Somebody is typing.
    Typing { channel: &'a str, connection: &'a str },
}

impl Event<'_> {
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("an event has only texts and numbers")
    }
}

/// Why the server closes a connection, as codes that RFC 6455 leaves to applications.
#[derive(Clone, Copy, Debug)]
pub(super) enum Close {
    NotIdentified = 4003,
    BadCredentials = 4004,
    RateLimited = 4008,
}
