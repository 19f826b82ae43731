//! Finds the table of classes in the chapter.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::markdown::{code, escape};
use crate::problem::{Position, Span};
use crate::source::Source;

/// A table under the heading.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) at: Position,
    pub(crate) header: Vec<Cell>,
    pub(crate) rows: Vec<Row>,
}

#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) at: Span,
    pub(crate) cells: Vec<Cell>,
    /// The cells that the source has, which Markdown cuts to the length of the header.
    pub(crate) written: usize,
}

/// One cell: its text without markup, and where the text stands.
#[derive(Debug, Default)]
pub(crate) struct Cell {
    pub(crate) at: Span,
    pub(crate) text: String,
    /// The text as Markdown: inline code stays, everything else is escaped.
    pub(crate) markdown: String,
}

/// What stands under the heading.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) at: Span,
    pub(crate) tables: Vec<Table>,
    /// Paragraphs that start like a row of a table.
    pub(crate) loose_rows: Vec<Span>,
}

/// What the chapter has of one heading.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The sections with this heading: its case, markup and section number do not count.
    pub(crate) sections: Vec<Section>,
    /// All other headings.
    pub(crate) others: Vec<Cell>,
}

pub(crate) fn outline(source: &Source<'_>, heading: &str) -> Outline {
    let events = Parser::new_ext(source.text, Options::ENABLE_TABLES).into_offset_iter();
    let mut reader = Reader { source, events, outline: Outline::default(), level: None };
    reader.read(&normalised(heading));
    reader.outline
}

/// Lower case, with single spaces.
pub(crate) fn normalised(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A heading without the number that sections of a spec carry, as in `5.2 Rate-limit classes`.
fn unnumbered(heading: &str) -> &str {
    heading.trim_start_matches(|char: char| char.is_ascii_digit() || matches!(char, '.' | ' '))
}

struct Reader<'s, 'a, I> {
    source: &'s Source<'a>,
    events: I,
    outline: Outline,
    /// The level of the heading of the section that is being read.
    level: Option<pulldown_cmark::HeadingLevel>,
}

impl<'a, I: Iterator<Item = (Event<'a>, Range<usize>)>> Reader<'_, 'a, I> {
    fn read(&mut self, heading: &str) {
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    let cell = self.cell(TagEnd::Heading(level), range.start);
                    let text = normalised(&cell.text);
                    if text == heading || unnumbered(&text) == unnumbered(heading) {
                        let at = self.source.span(range);
                        let section = Section { at, tables: Vec::new(), loose_rows: Vec::new() };
                        self.outline.sections.push(section);
                        self.level = Some(level);
                    } else {
                        if self.level.is_some_and(|section| level <= section) {
                            self.level = None;
                        }
                        self.outline.others.push(cell);
                    }
                }
                Event::Start(Tag::Table(_)) if self.level.is_some() => {
                    let table = self.table(range.start);
                    if let Some(section) = self.outline.sections.last_mut() {
                        section.tables.push(table);
                    }
                }
                Event::Start(Tag::Paragraph) if self.level.is_some() => {
                    let text = self.source.text.get(range.start..).unwrap_or_default();
                    let section = self.outline.sections.last_mut();
                    if let Some(section) = section.filter(|_| text.starts_with('|')) {
                        section.loose_rows.push(self.source.span(range));
                    }
                }
                _ => {}
            }
        }
    }

    fn table(&mut self, start: usize) -> Table {
        let mut table =
            Table { at: self.source.position(start), header: Vec::new(), rows: Vec::new() };
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::Start(Tag::TableHead) => table.header = self.cells(TagEnd::TableHead),
                Event::Start(Tag::TableRow) => {
                    let at = self.source.span(range.clone());
                    let written = written_cells(self.source.text.get(range).unwrap_or_default());
                    table.rows.push(Row { at, cells: self.cells(TagEnd::TableRow), written });
                }
                Event::End(TagEnd::Table) => break,
                _ => {}
            }
        }
        table
    }

    fn cells(&mut self, end: TagEnd) -> Vec<Cell> {
        let mut cells = Vec::new();
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::Start(Tag::TableCell) => {
                    cells.push(self.cell(TagEnd::TableCell, range.start));
                }
                Event::End(tag) if tag == end => break,
                _ => {}
            }
        }
        cells
    }

    fn cell(&mut self, end: TagEnd, start: usize) -> Cell {
        let mut shown = start..start;
        let mut is_empty = true;
        let mut text = String::new();
        let mut markdown = String::new();
        for (event, range) in self.events.by_ref() {
            match event {
                Event::End(tag) if tag == end => break,
                Event::Text(words) => {
                    text.push_str(&words);
                    markdown.push_str(&escape(&words));
                }
                Event::Code(words) => {
                    text.push_str(&words);
                    markdown.push_str(&code(&words));
                }
                Event::InlineHtml(tag) if tag.starts_with("<br") => {
                    text.push(' ');
                    markdown.push(' ');
                }
                _ => continue,
            }
            if is_empty {
                shown.start = range.start;
            }
            is_empty = false;
            shown.end = range.end;
        }
        Cell { at: self.source.span(shown), text: spaced(&text), markdown: spaced(&markdown) }
    }
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The cells of a row as Markdown splits it: at every pipe without a backslash.
fn written_cells(row: &str) -> usize {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = 1;
    let mut escaped = false;
    let mut ends = false;
    for char in row.chars() {
        ends = char == '|' && !escaped;
        cells += usize::from(ends);
        escaped = char == '\\' && !escaped;
    }
    cells - usize::from(ends)
}
