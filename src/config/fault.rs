//! [`Fault`]: one thing that is wrong with a configuration, and [`Faults`]: all of them.

use std::fmt;

/// Everything that is wrong with a configuration; never empty.
///
/// Its `Display` has a line for each fault, and never shows a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(Vec<Fault>);

/// One thing that is wrong with a configuration.
///
/// Its `Display` is one line: the key, what was given and where, what is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    key: String,
    given: Option<String>,
    origin: Option<Origin>,
    problem: Problem,
}

/// Where a value of a configuration came from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Origin {
    /// The program.
    Code,
    /// The environment variable of this name.
    Environment(String),
    /// The file.
    File,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The key is known, its value is not accepted.
    Invalid {
        /// What is accepted, as in `an integer from 1 to 128`.
        accepted: String,
    },
    /// The key must be given and is not.
    Missing {
        /// What asks for the key, as in `it is required when the class is clustered`.
        reason: String,
        /// What is accepted.
        accepted: String,
    },
    /// The value would be accepted if another setting did not rule it out.
    Conflict {
        /// What it meets, and what to do.
        reason: String,
    },
    /// The key is given twice in one place.
    Repeated,
    /// There is no such key.
    Unknown {
        /// The key that is meant, if one is near enough.
        nearest: Option<String>,
        /// With none that is near, the keys of the table that this one is in; empty when that table is
        /// not known either.
        known: Vec<&'static str>,
    },
}

impl Faults {
    /// All of these, unless there is none.
    pub(super) fn unless_empty(mut faults: Vec<Fault>) -> Result<(), Self> {
        faults.sort_by(|a, b| a.key.cmp(&b.key));
        // A table in the place of a value is one fault, however many keys it has.
        faults.dedup();
        if faults.is_empty() { Ok(()) } else { Err(Self(faults)) }
    }

    /// The faults, in the order of their keys.
    pub fn iter(&self) -> std::slice::Iter<'_, Fault> {
        self.0.iter()
    }
}

impl Fault {
    pub(super) fn new(key: impl Into<String>, problem: Problem) -> Self {
        Self { key: key.into(), given: None, origin: None, problem }
    }

    pub(super) fn from(mut self, origin: &Origin) -> Self {
        self.origin = Some(origin.clone());
        self
    }

    pub(super) fn given(mut self, given: impl Into<Option<String>>) -> Self {
        self.given = given.into();
        self
    }

    /// The key, as in `ratelimit.rl.read.per_minute`.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The value that was given, shortened; none when there is none, or when it may be a secret.
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        self.given.as_deref()
    }

    /// Where the value came from; none when the fault is that there is none.
    #[must_use]
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// What is wrong.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => f.write_str("the configuration has 1 fault:")?,
            count => write!(f, "the configuration has {count} faults:")?,
        }
        self.iter().try_for_each(|fault| write!(f, "\n  {fault}"))
    }
}

impl std::error::Error for Faults {}

impl<'a> IntoIterator for &'a Faults {
    type Item = &'a Fault;
    type IntoIter = std::slice::Iter<'a, Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Faults {
    type Item = Fault;
    type IntoIter = std::vec::IntoIter<Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.key))?;
        if let Some(given) = &self.given {
            write!(f, " = {given}")?;
        }
        if let Some(origin) = &self.origin {
            write!(f, " ({origin})")?;
        }
        match &self.problem {
            Problem::Invalid { accepted } => write!(f, ": must be {accepted}"),
            Problem::Missing { reason, accepted } => {
                write!(f, ": is missing ({reason}); must be {accepted}")
            }
            Problem::Conflict { reason } => write!(f, ": {reason}"),
            Problem::Repeated => f.write_str(": is given twice here; keep one"),
            Problem::Unknown { nearest: Some(nearest), .. } => {
                write!(f, ": unknown key; did you mean `{nearest}`?")
            }
            Problem::Unknown { nearest: None, known } if known.is_empty() => {
                f.write_str(": unknown key")
            }
            Problem::Unknown { nearest: None, known } => {
                write!(f, ": unknown key; the keys here are {}", known.join(", "))
            }
        }
    }
}

impl std::error::Error for Fault {}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code => f.write_str("code"),
            Self::Environment(name) => write!(f, "environment variable {}", shown(name)),
            Self::File => f.write_str("file"),
        }
    }
}

/// A name or text of the user's on one line, without control characters, and not too long. Every
/// key that there can be is shown in full.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 300;
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    shown
}
