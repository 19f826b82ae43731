//! [`KeyKind`]: the closed set of words for what a bucket is keyed by.

use std::fmt;

use crate::words::{did_you_mean, one_of, quoted};

/// What a bucket is keyed by; displayed in the words of the table, as in `client IP`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyKind {
    words: String,
    variant: String,
}

/// The words of the table, each with the library's variant.
const KINDS: [(&str, &str); 13] = [
    ("client IP", "ClientIp"),
    ("principal", "Principal"),
    ("effective principal", "EffectivePrincipal"),
    ("client", "Client"),
    ("device or token", "DeviceOrToken"),
    ("connection", "Connection"),
    ("agent", "Agent"),
    ("incoming webhook", "IncomingWebhook"),
    ("human", "Human"),
    ("host", "Host"),
    ("tenant", "Tenant"),
    ("global", "Global"),
    ("custom", "Custom"),
];

impl KeyKind {
    /// Reads a cell; the error is the text for the user.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let word = KINDS.iter().find(|(word, _)| *word == text);
        if let Some((word, variant)) = word {
            return Ok(Self { words: (*word).to_owned(), variant: (*variant).to_owned() });
        }
        match text.split_once(' ') {
            Some(("header", name)) => Self::header(name),
            _ if text == "header" => {
                Err("key kind `header` has no name; write it as in `header X-Name`".to_owned())
            }
            _ => Err(unknown(text)),
        }
    }

    fn header(name: &str) -> Result<Self, String> {
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_token) {
            return Err(format!("{} is not the name of an HTTP header", quoted(name)));
        }
        let name = name.to_ascii_lowercase();
        Ok(Self { words: format!("header {name}"), variant: format!("Header({name:?})") })
    }

    /// The variant of the library's enum, as Rust.
    pub(crate) fn variant(&self) -> &str {
        &self.variant
    }
}

impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

fn unknown(text: &str) -> String {
    let words = || KINDS.iter().map(|(word, _)| *word);
    let near = did_you_mean(text, words());
    if near.is_empty() {
        let known = one_of(words().chain(["header X-Name"]));
        format!("unknown key kind {}; the kinds are {known}", quoted(text))
    } else {
        format!("unknown key kind {}{near}", quoted(text))
    }
}
