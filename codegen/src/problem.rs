//! [`Problem`]: what is wrong with a catalogue, and where.

use std::fmt;

/// A place in a file: line and column from 1, the column in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// One thing that is wrong with a catalogue.
///
/// Displayed as `file:line:column: message`, which editors and terminals turn into a link.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Problem {
    /// The file, as the spec names it.
    pub file: String,
    /// The place in the file.
    pub at: Position,
    /// What is wrong, what is accepted, and what to do.
    pub message: String,
    /// Where the text that is meant ends: the place behind its last character, and [`at`](Self::at)
    /// itself where no text is meant, as when something is missing.
    pub end: Position,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, at: Position { line, column }, message, end: _ } = self;
        write!(f, "{file}:{line}:{column}: {message}")
    }
}

impl std::error::Error for Problem {}

/// The text that a problem is about.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    pub(crate) start: Position,
    /// Behind the last character; the start itself where there is no text.
    pub(crate) end: Position,
}

impl From<Position> for Span {
    fn from(at: Position) -> Self {
        Self { start: at, end: at }
    }
}

/// The problems of one file, while it is read and checked.
#[derive(Debug)]
pub(crate) struct Problems<'a> {
    file: &'a str,
    found: Vec<Problem>,
}

impl<'a> Problems<'a> {
    pub(crate) fn of(file: &'a str) -> Self {
        Self { file, found: Vec::new() }
    }

    pub(crate) fn add(&mut self, at: impl Into<Span>, message: impl Into<String>) {
        let Span { start, end } = at.into();
        let message = message.into();
        self.found.push(Problem { file: self.file.to_owned(), at: start, message, end });
    }

    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    /// All of them together with the one that kept the other file from being read.
    pub(crate) fn with(self, other: Problem) -> Vec<Problem> {
        let mut all = self.found;
        all.push(other);
        all.sort();
        all
    }

    /// All of them together with those of another file, sorted by file and position.
    pub(crate) fn and(self, other: Self) -> Vec<Problem> {
        let mut all = self.found;
        all.extend(other.found);
        all.sort();
        all
    }
}
