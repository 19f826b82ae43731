//! [`Catalogue`]: the classes and actions of a spec in which nothing is wrong.

use std::fmt;

use crate::key_kind::KeyKind;
use crate::words::nearest;

/// A checked catalogue: every name is well formed and unique, every reference resolves, and every
/// number is in its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalogue {
    /// The files it comes from, as the spec names them.
    pub(crate) files: [String; 2],
    pub(crate) classes: Vec<Class>,
    pub(crate) actions: Vec<Action>,
}

impl Catalogue {
    /// The classes, in the order of the table.
    #[must_use]
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// The actions, in the order of the list.
    #[must_use]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The class or action whose name is so near to a given one that it may be meant.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let classes = self.classes.iter().map(|class| class.name.as_str());
        nearest(name, classes.chain(self.actions.iter().map(|action| action.id.as_str())))
    }
}

/// One row of the table of classes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Class {
    /// The name, as in `rl.read`.
    pub name: String,
    /// The identifier of its variant, as in `Read`.
    pub variant: String,
    /// What a bucket is keyed by.
    pub key: KeyKind,
    /// The tokens that a bucket gains in a minute.
    pub per_minute: u32,
    /// The tokens that a bucket holds.
    pub burst: u32,
    /// Where actions of the class may enter.
    pub surface: Surface,
    /// Whether the class may stand unused.
    pub reserved: bool,
    /// What the class is used for, in the words of the table.
    pub used_for: String,
    /// The same with the table's inline code, and everything else escaped for Markdown.
    pub(crate) used_for_markdown: String,
}

/// One entry of the list of actions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Action {
    /// The id, as in `message.send`.
    pub id: String,
    /// The identifier of its variant, as in `MessageSend`.
    pub variant: String,
    /// The name of its class.
    pub class: String,
    /// The variant of its class.
    pub(crate) class_variant: String,
    /// The tokens that one call takes.
    pub cost: u32,
    /// Where the action enters; never [`Surface::Any`].
    pub surface: Surface,
    /// Method and path of an action that enters by HTTP.
    pub operation: Option<Operation>,
}

/// Method and path of an action.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Operation {
    /// The method, in upper case.
    pub method: String,
    /// The path, with its parameters in braces.
    pub path: String,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// Where an action enters, and which entrances a class serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    /// Both.
    Any,
    /// A long-lived connection.
    Gateway,
    /// An HTTP request.
    Rest,
}

/// The word of the catalogue, as in `rest`.
impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Surface {
    pub(crate) const ALL: [Self; 3] = [Self::Rest, Self::Gateway, Self::Any];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Gateway => "gateway",
            Self::Rest => "rest",
        }
    }
}
