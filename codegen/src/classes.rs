//! Reads the table of classes.

use std::collections::HashMap;

use crate::catalogue::{Class, Surface};
use crate::chapter::{self, Cell, Row, Table, normalised};
use crate::key_kind::KeyKind;
use crate::problem::{Position, Problems};
use crate::source::Source;
use crate::spec::{Column, Spec};
use crate::words::{did_you_mean, nearest, one_of, quoted};
use crate::{name, number};

/// One row of the table. What is `None` is wrong and reported.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) at: Position,
    pub(crate) name: String,
    pub(crate) variant: Option<String>,
    pub(crate) key: Option<KeyKind>,
    pub(crate) per_minute: Option<u32>,
    pub(crate) burst: Option<u32>,
    pub(crate) surface: Option<Surface>,
    pub(crate) reserved: Option<bool>,
    pub(crate) used_for: String,
    pub(crate) used_for_markdown: String,
}

impl Listed {
    pub(crate) fn finish(self) -> Option<Class> {
        Some(Class {
            name: self.name,
            variant: self.variant?,
            key: self.key?,
            per_minute: self.per_minute?,
            burst: self.burst?,
            surface: self.surface?,
            reserved: self.reserved?,
            used_for: self.used_for,
            used_for_markdown: self.used_for_markdown,
        })
    }
}

/// Reads the chapter; `None` when the names of the classes cannot be known.
pub(crate) fn read(
    spec: &Spec,
    source: &Source<'_>,
    problems: &mut Problems<'_>,
) -> Option<Vec<Listed>> {
    let table = the_table(spec, source, problems)?;
    let columns = Columns::of(spec, &table, problems);
    if !columns.contains(Column::Class) {
        return None;
    }
    if table.rows.is_empty() {
        problems.add(table.at, "the table has no rows; write at least one class");
    }
    let listed: Vec<Listed> =
        table.rows.iter().filter_map(|row| read_row(spec, &columns, row, problems)).collect();
    refuse_duplicates(&listed, problems);
    Some(listed)
}

/// The one table of classes: the one under the heading, or of several the one with a column of
/// classes.
fn the_table(spec: &Spec, source: &Source<'_>, problems: &mut Problems<'_>) -> Option<Table> {
    let heading = spec.heading_text();
    let outline = chapter::outline(source, heading);
    let mut sections = outline.sections.into_iter();
    let Some(section) = sections.next() else {
        refuse_missing_heading(heading, &outline.others, problems);
        return None;
    };
    for repeated in sections {
        let line = section.at.line;
        problems.add(repeated.at, format!("the heading \"{heading}\" is already on line {line}"));
    }
    for at in &section.loose_rows {
        problems.add(
            *at,
            "this belongs to no table; a table is a header, a row of dashes with as many cells, and \
             rows, with no empty line between them",
        );
    }
    let class = normalised(spec.column_name(Column::Class));
    let has_class = |table: &Table| table.header.iter().any(|cell| normalised(&cell.text) == class);
    let mut tables = section.tables;
    if tables.len() > 1 && tables.iter().any(has_class) {
        tables.retain(has_class);
    }
    let mut tables = tables.into_iter();
    let Some(table) = tables.next() else {
        if section.loose_rows.is_empty() {
            let message = format!("no table stands under the heading \"{heading}\"");
            problems.add(section.at, message);
        }
        return None;
    };
    for second in tables {
        let line = table.at.line;
        problems.add(
            second.at,
            format!("a second table of classes; write its rows into the one on line {line}"),
        );
    }
    Some(table)
}

fn refuse_missing_heading(heading: &str, others: &[Cell], problems: &mut Problems<'_>) {
    match others.iter().find(|other| nearest(&other.text, [heading]).is_some()) {
        Some(other) => problems.add(
            other.at,
            format!("unknown heading {}; did you mean \"{heading}\"?", quoted(&other.text)),
        ),
        None => problems.add(
            Position { line: 1, column: 1 },
            format!(
                "the chapter has no heading \"{heading}\"; the table of classes stands under it"
            ),
        ),
    }
}

/// Where each column stands.
struct Columns {
    positions: HashMap<Column, usize>,
    width: usize,
}

impl Columns {
    fn of(spec: &Spec, table: &Table, problems: &mut Problems<'_>) -> Self {
        let mut columns = Self { positions: HashMap::new(), width: table.header.len() };
        let mut others = Vec::new();
        for (position, cell) in table.header.iter().enumerate() {
            let text = normalised(&cell.text);
            let known = Column::ALL.into_iter().find(|c| normalised(spec.column_name(*c)) == text);
            match known {
                Some(column) if columns.contains(column) => {
                    problems.add(cell.at, format!("column {} is given twice", quoted(&cell.text)));
                }
                Some(column) => {
                    columns.positions.insert(column, position);
                }
                None => others.push(cell),
            }
        }
        for column in Column::ALL {
            if !columns.contains(column) {
                let name = spec.column_name(column);
                let near = others.iter().find(|cell| nearest(&cell.text, [name]).is_some());
                match near {
                    Some(cell) => problems.add(
                        cell.at,
                        format!("unknown column {}; did you mean `{name}`?", quoted(&cell.text)),
                    ),
                    None => problems.add(table.at, format!("the table has no column `{name}`")),
                }
            }
        }
        columns
    }

    fn contains(&self, column: Column) -> bool {
        self.positions.contains_key(&column)
    }

    /// The cell of a row; `None` when the table lacks the column, which is reported once.
    fn cell<'a>(&self, row: &'a Row, column: Column) -> Option<&'a Cell> {
        row.cells.get(*self.positions.get(&column)?)
    }
}

fn read_row(
    spec: &Spec,
    columns: &Columns,
    row: &Row,
    problems: &mut Problems<'_>,
) -> Option<Listed> {
    if row.written != columns.width {
        let cells = if row.written == 1 { "cell" } else { "cells" };
        problems.add(
            row.at,
            format!(
                "this row has {} {cells} and the table {} columns; write an empty cell where \
                 nothing is to be said, and a pipe inside a cell as `\\|`",
                row.written, columns.width
            ),
        );
    }
    let complete = row.written >= columns.width;
    let mut read = |column| {
        let cell = columns.cell(row, column)?;
        let is_optional = matches!(column, Column::Reserved | Column::UsedFor);
        if cell.text.is_empty() && !is_optional {
            // A row that is too short is reported as such.
            if complete {
                problems.add(cell.at, format!("`{}` is empty", spec.column_name(column)));
            }
            return None;
        }
        Some(cell)
    };
    let class = columns.cell(row, Column::Class)?;
    read(Column::Class);
    let [key, per_minute, burst, surface, reserved, used_for] = [
        Column::Key,
        Column::PerMinute,
        Column::Burst,
        Column::Surface,
        Column::Reserved,
        Column::UsedFor,
    ]
    .map(read);
    let mut checked = Checked { problems };
    Some(Listed {
        at: class.at,
        name: class.text.clone(),
        variant: Some(class)
            .filter(|cell| !cell.text.is_empty())
            .and_then(|cell| checked.cell(cell, |text| name::class_variant(text, spec.prefix()))),
        key: key.and_then(|cell| checked.cell(cell, KeyKind::parse)),
        per_minute: per_minute.and_then(|cell| checked.number(spec, Column::PerMinute, cell)),
        burst: burst.and_then(|cell| checked.number(spec, Column::Burst, cell)),
        surface: surface.and_then(|cell| checked.cell(cell, parse_surface)),
        reserved: reserved.and_then(|cell| checked.cell(cell, parse_reserved)),
        used_for: used_for.map(|cell| cell.text.clone()).unwrap_or_default(),
        used_for_markdown: used_for.map(|cell| cell.markdown.clone()).unwrap_or_default(),
    })
}

struct Checked<'p, 'f> {
    problems: &'p mut Problems<'f>,
}

impl Checked<'_, '_> {
    fn cell<T>(&mut self, cell: &Cell, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        parse(&cell.text).map_err(|message| self.problems.add(cell.at, message)).ok()
    }

    fn number(&mut self, spec: &Spec, column: Column, cell: &Cell) -> Option<u32> {
        let name = spec.column_name(column);
        let most = if column == Column::PerMinute { number::FASTEST } else { u32::MAX };
        self.cell(cell, |text| number::parse(text, most).map_err(|why| format!("`{name}` {why}")))
    }
}

fn parse_surface(text: &str) -> Result<Surface, String> {
    let surface = Surface::ALL.into_iter().find(|surface| surface.word() == text);
    surface.ok_or_else(|| {
        let words = Surface::ALL.map(Surface::word);
        let near = did_you_mean(text, words);
        format!("surface {}; a class serves {}{near}", quoted(text), one_of(words))
    })
}

fn parse_reserved(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "" | "no" => Ok(false),
        _ => Err(format!("reserved is {}; write `yes`, or leave the cell empty", quoted(text))),
    }
}

fn refuse_duplicates(listed: &[Listed], problems: &mut Problems<'_>) {
    let mut names = HashMap::new();
    let mut variants = HashMap::new();
    for class in listed.iter().filter(|class| !class.name.is_empty()) {
        if let Some(line) = names.insert(&class.name, class.at.line) {
            problems
                .add(class.at, format!("class {} is already on line {line}", quoted(&class.name)));
        } else if let Some(variant) = &class.variant {
            if let Some(first) = variants.insert(variant, &class.name) {
                problems.add(
                    class.at,
                    format!(
                        "`{first}` and `{}` both become the identifier `{variant}`",
                        class.name
                    ),
                );
            }
        }
    }
}
