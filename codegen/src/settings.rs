//! [`Setting`]: what can be configured of a class.

use crate::catalogue::Class;
use crate::keys;

/// One configuration key of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// The key, as in `ratelimit.rl.read.burst`; a part in angle brackets is a name of the user's own.
    pub key: String,
    /// The environment variable of the key, as in `RATELIMIT_RL_READ_BURST`.
    pub environment: String,
    /// Its type, in a word.
    pub kind: &'static str,
    /// What holds where nothing is configured; for limits, the class's own.
    pub default: String,
    /// What is accepted, in words.
    pub range: &'static str,
    /// What it does, in a sentence.
    pub purpose: &'static str,
}

impl Class {
    /// Every configuration key of this class.
    pub fn settings(&self) -> impl Iterator<Item = Setting> + '_ {
        keys::CLASS.iter().map(|known| {
            let key = format!("ratelimit.{}.{}", self.name, known.name);
            let default = match known.name {
                "per_minute" => self.per_minute.to_string(),
                "burst" => self.burst.to_string(),
                _ => known.default.replace('`', ""),
            };
            Setting {
                environment: environment(&key),
                key,
                kind: known.kind,
                default,
                range: known.range,
                purpose: known.text,
            }
        })
    }
}

/// The variable of a key: capital letters, and `_` for every other character but the brackets of a name
/// that is not known yet.
fn environment(key: &str) -> String {
    let variable = |char: char| match char {
        '<' | '>' => char,
        _ if char.is_ascii_alphanumeric() => char.to_ascii_uppercase(),
        _ => '_',
    };
    key.chars().map(variable).collect()
}
