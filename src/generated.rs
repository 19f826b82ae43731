//! What the generated enums call: lookups in their tables, which work in constants, and names as
//! serde values.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

pub use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::catalogue::{
    ActionCatalogue, ActionDefinition, Catalogue, ClassDefinition, UnknownName,
};

/// The entry of a catalogue's table at the position of a variant.
#[inline]
#[must_use]
#[track_caller]
pub const fn entry<T>(table: &'static [T], position: usize) -> &'static T {
    #[expect(clippy::indexing_slicing, reason = "the table has one entry for each variant")]
    &table[position]
}

/// The variant at a position of `ALL`, if there is one.
#[must_use]
pub const fn variant<T: Copy>(all: &'static [T], position: Option<usize>) -> Option<T> {
    match position {
        #[expect(clippy::indexing_slicing, reason = "the position was found in a table as long")]
        Some(position) => Some(all[position]),
        None => None,
    }
}

/// Refuses a variant that no HTTP handler can declare.
///
/// # Panics
///
/// With the text of the catalogue, for each position in `refused`; in a constant, which is where
/// declarations are made, that is a compile error at the caller's path.
#[track_caller]
pub const fn refuse(refused: &[(usize, &'static str)], position: usize) {
    let mut rest = refused;
    while let [(at, why), others @ ..] = rest {
        assert!(*at != position, "{}", *why);
        rest = others;
    }
}

/// The position of the class of this name.
#[must_use]
pub const fn class_position(definitions: &[ClassDefinition], name: &str) -> Option<usize> {
    let mut rest = definitions;
    while let [definition, others @ ..] = rest {
        if is_same(definition.name, name) {
            return Some(definitions.len() - rest.len());
        }
        rest = others;
    }
    None
}

/// The position of the action of this id.
#[must_use]
pub const fn action_position<C>(definitions: &[ActionDefinition<C>], id: &str) -> Option<usize> {
    let mut rest = definitions;
    while let [definition, others @ ..] = rest {
        if is_same(definition.id, id) {
            return Some(definitions.len() - rest.len());
        }
        rest = others;
    }
    None
}

/// `==` on strings, which constants cannot use yet.
const fn is_same(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    while let ([first, rest @ ..], [other_first, other_rest @ ..]) = (one, other) {
        if *first != *other_first {
            return false;
        }
        (one, other) = (rest, other_rest);
    }
    one.is_empty() && other.is_empty()
}

/// Finds a class by its name.
///
/// # Errors
///
/// When the catalogue has no class of that name.
pub fn class_from_name<C: Catalogue>(name: &str) -> Result<C, UnknownName> {
    let found = C::ALL.iter().copied().find(|class| class.definition().name == name);
    found.ok_or_else(|| UnknownName::new("class", name, C::ALL.iter().map(|c| c.definition().name)))
}

/// Finds an action by its id.
///
/// # Errors
///
/// When the catalogue has no action of that id.
pub fn action_from_id<A: ActionCatalogue>(id: &str) -> Result<A, UnknownName> {
    let found = A::ALL.iter().copied().find(|action| action.definition().id == id);
    found.ok_or_else(|| UnknownName::new("action", id, A::ALL.iter().map(|a| a.definition().id)))
}

/// Reads a class or an action from its name.
///
/// # Errors
///
/// When there is no text, or when the catalogue has no such name.
pub fn deserialize_name<'de, T, D>(deserializer: D, expected: &'static str) -> Result<T, D::Error>
where
    T: FromStr<Err = UnknownName>,
    D: Deserializer<'de>,
{
    struct Name<T>(&'static str, PhantomData<T>);

    impl<T: FromStr<Err = UnknownName>> serde::de::Visitor<'_> for Name<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }

        fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<T, E> {
            name.parse().map_err(E::custom)
        }
    }

    deserializer.deserialize_str(Name(expected, PhantomData))
}
