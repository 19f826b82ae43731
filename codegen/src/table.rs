//! The one table of classes in a chapter, and its columns.

use std::collections::HashMap;

use crate::chapter::{self, Cell, Row, Table, normalised};
use crate::problem::{Position, Problems};
use crate::source::Source;
use crate::spec::{Column, Spec};
use crate::words::{nearest, quoted};

/// The one table of classes: the one under the heading, or of several the one with a column of
/// classes.
pub(crate) fn find(spec: &Spec, source: &Source<'_>, problems: &mut Problems<'_>) -> Option<Table> {
    let heading = spec.heading_text();
    let outline = chapter::outline(source, heading);
    let mut sections = outline.sections.into_iter();
    let Some(section) = sections.next() else {
        refuse_missing_heading(heading, &outline.others, problems);
        return None;
    };
    for repeated in sections {
        let line = section.at.start.line;
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
    if tables.iter().any(has_class) {
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
#[derive(Debug)]
pub(crate) struct Columns {
    positions: HashMap<Column, usize>,
    width: usize,
}

impl Columns {
    pub(crate) fn of(spec: &Spec, table: &Table, problems: &mut Problems<'_>) -> Self {
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

    pub(crate) fn contains(&self, column: Column) -> bool {
        self.positions.contains_key(&column)
    }

    /// How many columns the table has, those of the user's own included.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The cell of a row; `None` when the table lacks the column, which is reported once.
    pub(crate) fn cell<'a>(&self, row: &'a Row, column: Column) -> Option<&'a Cell> {
        row.cells.get(*self.positions.get(&column)?)
    }
}
