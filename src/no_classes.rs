//! [`NoClasses`]: the catalogue of a program that has none.

use std::fmt;
use std::str::FromStr;

use crate::catalogue::{
    ActionCatalogue, ActionDefinition, Catalogue, ClassDefinition, UnknownName,
};

/// A catalogue without classes and actions, for programs that limit by policies alone.
///
/// Nothing can be made of this type, so a `Limiter<NoClasses>` has no class to acquire and a
/// [`Config<NoClasses>`](crate::Config) no class to configure.
///
/// ```
/// use tollgate::catalogue::NoClasses;
/// use tollgate::Config;
///
/// let file = toml::from_str(
///     "[ratelimit.policies.search-quota]\ntokens = 100\nperiod = '1m'\ncapacity = 20",
/// )?;
/// let config = Config::<NoClasses>::builder().file(file).build()?;
/// assert_eq!(config.policies()[0].limits().capacity(), 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoClasses {}

impl Catalogue for NoClasses {
    type Action = Self;

    const ALL: &'static [Self] = &[];

    fn index(self) -> usize {
        match self {}
    }

    fn definition(self) -> &'static ClassDefinition {
        match self {}
    }
}

impl ActionCatalogue for NoClasses {
    type Class = Self;

    const ALL: &'static [Self] = &[];

    const DEFINITIONS: &'static [ActionDefinition<Self>] = &[];

    fn index(self) -> usize {
        match self {}
    }

    fn definition(self) -> &'static ActionDefinition<Self> {
        match self {}
    }
}

impl fmt::Display for NoClasses {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl FromStr for NoClasses {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Err(UnknownName::new("class", name, [].into_iter()))
    }
}
