//! [`Settings`]: a configuration as its format gave it, before anything is checked.

use std::fmt;
use std::time::Duration;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Tables and lists nested deeper than this are refused while they are read.
const DEEPEST: usize = 32;

/// The content of a configuration file, from any format that serde reads.
///
/// Nested tables and flat dotted keys mean the same. What stands outside of `ratelimit` and the two
/// keys under `server` belongs to the rest of the program and is not looked at, so this also works
/// as a `#[serde(flatten)]` field of a program's own settings.
///
/// ```
/// use tollgate::config::Settings;
///
/// let nested: Settings = toml::from_str("[ratelimit.rl.read]\nper_minute = 5")?;
/// let flat: Settings = toml::from_str(r#""ratelimit.rl.read.per_minute" = 5"#)?;
/// # Ok::<(), toml::de::Error>(())
/// ```
#[derive(Clone)]
pub struct Settings(pub(super) Value);

/// One value of a configuration, whatever the format.
#[derive(Clone, PartialEq)]
pub(crate) enum Value {
    Boolean(bool),
    /// A span of time given by code; files and variables give them as text.
    Duration(Duration),
    Float(f64),
    Integer {
        negative: bool,
        magnitude: u128,
    },
    List(Vec<Value>),
    Null,
    /// In the order of the file, repeated keys included.
    Table(Vec<(String, Value)>),
    Text(String),
}

impl Value {
    pub(super) fn integer(value: impl Into<i128>) -> Self {
        let value = value.into();
        Self::Integer { negative: value < 0, magnitude: value.unsigned_abs() }
    }

    pub(super) fn word(word: &str) -> Self {
        Self::Text(word.to_owned())
    }

    /// The number that `text` spells in decimal digits.
    pub(super) fn parse_integer(text: &str) -> Option<Self> {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some(Self::Integer { negative, magnitude: digits.parse().ok()? })
    }
}

impl fmt::Debug for Settings {
    /// Names nothing: a file may hold secrets, also under a key that is misspelled.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").finish_non_exhaustive()
    }
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Nested(0).deserialize(deserializer).map(Self)
    }
}

/// Reads a value that stands this deep.
#[derive(Clone, Copy)]
struct Nested(usize);

impl Nested {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        if self.0 == DEEPEST {
            return Err(E::custom(format_args!("nested deeper than {DEEPEST} levels")));
        }
        Ok(Self(self.0 + 1))
    }
}

impl<'de> DeserializeSeed<'de> for Nested {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Nested {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a setting")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::integer(value))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(Value::integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::integer(value))
    }

    fn visit_u128<E>(self, magnitude: u128) -> Result<Value, E> {
        Ok(Value::Integer { negative: false, magnitude })
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        self.deeper()?.deserialize(inner)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        self.deeper()?.deserialize(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(inner)? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut entries = Vec::new();
        while let Some(KeyName(key)) = table.next_key()? {
            let value = table.next_value_seed(inner)?;
            match (key.as_str(), value) {
                // The forms in which `toml` passes dates, and `serde_json` numbers when any crate
                // of the program turns its `arbitrary_precision` on.
                ("$serde_json::private::Number", Value::Text(text)) => return Ok(number(text)),
                ("$__toml_private_datetime", date @ Value::Text(_)) => return Ok(date),
                (_, value) => entries.push((key, value)),
            }
        }
        Ok(Value::Table(entries))
    }
}

/// The number of a format that hands numbers over as text.
fn number(text: String) -> Value {
    let float = || text.parse().ok().map(Value::Float);
    Value::parse_integer(&text).or_else(float).unwrap_or(Value::Text(text))
}

/// The key of a table; YAML also has numbers and booleans as keys.
struct KeyName(String);

impl<'de> Deserialize<'de> for KeyName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyKey;

        impl Visitor<'_> for AnyKey {
            type Value = KeyName;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a setting")
            }

            fn visit_str<E>(self, name: &str) -> Result<KeyName, E> {
                Ok(KeyName(name.to_owned()))
            }

            fn visit_bool<E>(self, name: bool) -> Result<KeyName, E> {
                Ok(KeyName(name.to_string()))
            }

            fn visit_i64<E>(self, name: i64) -> Result<KeyName, E> {
                Ok(KeyName(name.to_string()))
            }

            fn visit_u64<E>(self, name: u64) -> Result<KeyName, E> {
                Ok(KeyName(name.to_string()))
            }
        }

        deserializer.deserialize_any(AnyKey)
    }
}
