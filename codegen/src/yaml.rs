//! YAML as a tree in which every node knows its place.
//!
//! Only what a list of actions needs: scalars, sequences and mappings. Anchors, aliases and tags are
//! refused, so that what stands in the file is what is read, and so is nesting without end.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, StrInput, Tag};

use crate::problem::{Position, Problems, Span};

/// A node, and where it stands; of a sequence or mapping, where it starts.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) at: Span,
    pub(crate) value: Value,
}

#[derive(Debug)]
pub(crate) enum Value {
    /// A scalar without quotes.
    Plain(String),
    /// A scalar in quotes, or a block of text: never a number, whatever it says.
    Text(String),
    Sequence(Vec<Node>),
    Mapping(Vec<(Node, Node)>),
    /// What is reported already and needs no second message.
    Refused,
}

impl Node {
    /// The text of a scalar.
    pub(crate) fn scalar(&self) -> Option<&str> {
        match &self.value {
            Value::Plain(text) | Value::Text(text) => Some(text),
            Value::Sequence(_) | Value::Mapping(_) | Value::Refused => None,
        }
    }

    /// Whether nothing is written here.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.value, Value::Plain(text) if matches!(text.as_str(), "" | "~" | "null"))
    }
}

/// The document of a file, `None` when it has none, or when a syntax error ends it.
pub(crate) fn parse(text: &str, problems: &mut Problems<'_>) -> Option<Node> {
    let mut reader = Reader { events: Parser::new_from_str(text), problems };
    match reader.document() {
        Ok(document) => document,
        Err((at, message)) => {
            match tab_near(text, at.line) {
                Some(tab) => problems.add(tab, "a tab indents this line; YAML indents with spaces"),
                None => problems.add(at, message),
            }
            None
        }
    }
}

/// Deeper than any list of actions; a bound on the reader's own stack.
const DEEPEST: usize = 16;

type SyntaxError = (Position, String);

struct Reader<'a, 'p, 'f> {
    events: Parser<'a, StrInput<'a>>,
    problems: &'p mut Problems<'f>,
}

impl<'a> Reader<'a, '_, '_> {
    fn document(&mut self) -> Result<Option<Node>, SyntaxError> {
        let mut document = None;
        loop {
            let (event, at) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(document),
                Event::DocumentStart(_) => {
                    let first = self.next()?;
                    let node = self.node(first, 0)?;
                    if document.is_some() {
                        self.problems.add(at, "a second document starts here; write one list");
                    }
                    document = document.or(Some(node));
                }
                _ => {}
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), SyntaxError> {
        match self.events.next_event() {
            Some(Ok((event, span))) => {
                let (start, end) = (position(span.start), position(span.end));
                let end = end_of(&event, start, end);
                Ok((event, Span { start, end }))
            }
            Some(Err(error)) => Err(syntax_error(&error)),
            None => Ok((Event::StreamEnd, Position { line: 1, column: 1 }.into())),
        }
    }

    fn node(&mut self, first: (Event<'a>, Span), depth: usize) -> Result<Node, SyntaxError> {
        let (event, at) = first;
        if depth > DEEPEST {
            return Err((at.start, format!("nested deeper than {DEEPEST} levels")));
        }
        let value = match event {
            Event::Alias(_) => {
                self.problems.add(at, "aliases are not read here; write the value out");
                Value::Refused
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse(at, anchor, tag.as_deref());
                match style {
                    ScalarStyle::Plain => Value::Plain(text.into_owned()),
                    _ => Value::Text(text.into_owned()),
                }
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse(at, anchor, tag.as_deref());
                Value::Sequence(self.items(depth)?)
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse(at, anchor, tag.as_deref());
                Value::Mapping(self.entries(depth)?)
            }
            _ => return Err((at.start, "a value is missing here".to_owned())),
        };
        Ok(Node { at, value })
    }

    fn items(&mut self, depth: usize) -> Result<Vec<Node>, SyntaxError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(items),
                first => items.push(self.node(first, depth + 1)?),
            }
        }
    }

    fn entries(&mut self, depth: usize) -> Result<Vec<(Node, Node)>, SyntaxError> {
        let mut entries = Vec::new();
        loop {
            let key = match self.next()? {
                (Event::MappingEnd, _) => return Ok(entries),
                first => self.node(first, depth + 1)?,
            };
            let first = self.next()?;
            entries.push((key, self.node(first, depth + 1)?));
        }
    }

    /// Without aliases an anchor says nothing, and no tag is needed to read text and numbers.
    fn refuse(&mut self, at: Span, anchor: usize, tag: Option<&Tag>) {
        if anchor != 0 {
            self.problems.add(at, "anchors are not read here; leave it out");
        }
        if tag.is_some() {
            self.problems.add(at, "tags are not read here; leave it out");
        }
    }
}

/// The tab that a syntax error is about: the reader reports the start of what it read last.
fn tab_near(text: &str, line: usize) -> Option<Position> {
    let lines = text.lines().zip(1..).skip(line.saturating_sub(1)).take(2);
    lines.into_iter().find_map(|(text, line)| {
        let indent = text.split(|char: char| !matches!(char, ' ' | '\t')).next()?;
        Some(Position { line, column: indent.find('\t')? + 1 })
    })
}

/// Where an event ends that has text.
fn end_of(event: &Event<'_>, start: Position, end: Position) -> Position {
    match event {
        // The reader counts a comment behind quotes as part of them.
        Event::Scalar(text, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted, ..) => {
            let column = start.column + text.chars().count() + 2;
            end.min(Position { line: start.line, column })
        }
        Event::Scalar(_, ScalarStyle::Plain, ..) | Event::Alias(_) => end,
        // A block of text starts at its indicator; the spans of all other events are of what follows.
        _ => start,
    }
}

fn syntax_error(error: &ScanError) -> SyntaxError {
    (position(*error.marker()), format!("this is not YAML: {}", error.info()))
}

fn position(marker: Marker) -> Position {
    Position { line: marker.line(), column: marker.col() + 1 }
}
