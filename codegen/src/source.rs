//! [`Source`]: the text of one file, with line and column of every byte.

use std::ops::Range;

use crate::problem::{Position, Problem, Span};

/// One file of a catalogue.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    /// The byte offset at which each line starts.
    lines: Vec<usize>,
}

impl<'a> Source<'a> {
    /// The text without its byte order mark, which is no part of the first line.
    pub(crate) fn new(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let starts =
            text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, lines: std::iter::once(0).chain(starts).collect() }
    }

    /// The place of a byte offset.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = self.lines.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or_default();
        Position { line, column: before.chars().count() + 1 }
    }

    /// The places of a range of bytes, without the white space at its end.
    pub(crate) fn span(&self, range: Range<usize>) -> Span {
        let text = self.text.get(range.clone()).unwrap_or_default().trim_end();
        let start = self.position(range.start);
        Span { start, end: self.position(range.start + text.len()) }
    }
}

/// The text of a file that should be UTF-8.
pub(crate) fn decode(file: &str, bytes: Vec<u8>) -> Result<String, Problem> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let byte = bytes.get(valid).copied().unwrap_or_default();
        let before = String::from_utf8_lossy(bytes.get(..valid).unwrap_or_default());
        let at = Source::new(&before).position(before.len());
        let message = format!("byte 0x{byte:02x} is not UTF-8; save the file as UTF-8");
        Problem { file: file.to_owned(), at, message, end: at }
    })
}
