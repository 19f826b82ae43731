//! [`Change`]: one thing that is different between two catalogues.

use serde::Serialize;
use serde_json::Value;

/// One thing that is different between two catalogues.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Change {
    pub(crate) effect: Effect,
    pub(crate) subject: Subject,
    /// The name in the new catalogue; of what was removed, in the old one.
    pub(crate) name: String,
    pub(crate) what: What,
    pub(crate) from: Value,
    pub(crate) to: Value,
    /// The change in words.
    pub(crate) text: String,
}

/// What a change means for a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Effect {
    /// Some calls that were admitted are refused now.
    Tighter,
    /// Some calls that were refused are admitted now.
    Looser,
    /// Neither of the two, or both.
    Other,
}

impl Effect {
    pub(crate) const ALL: [Self; 3] = [Self::Tighter, Self::Looser, Self::Other];

    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Tighter => "Tighter",
            Self::Looser => "Looser",
            Self::Other => "Other changes",
        }
    }

    /// The effect of a number that admits the more the larger it is.
    pub(crate) fn of(from: u32, to: u32) -> Self {
        match to.cmp(&from) {
            std::cmp::Ordering::Less => Self::Tighter,
            std::cmp::Ordering::Equal => Self::Other,
            std::cmp::Ordering::Greater => Self::Looser,
        }
    }

    /// The effect of two of them, of which [`Other`](Self::Other) means unchanged.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Other, effect) | (effect, Self::Other) => effect,
            (one, two) if one == two => one,
            _ => Self::Other,
        }
    }
}

/// What is different.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    Added,
    Burst,
    /// The class of an action.
    Class,
    Cost,
    Key,
    Operation,
    PerMinute,
    Removed,
    Renamed,
    Reserved,
    Surface,
    UsedFor,
}

/// What it is different about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Subject {
    Action,
    Class,
}
