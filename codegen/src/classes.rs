//! Reads the table of classes.

use std::collections::HashMap;

use crate::catalogue::{Class, Surface};
use crate::chapter::Row;
use crate::key_kind::KeyKind;
use crate::problem::{Problems, Span};
use crate::source::Source;
use crate::spec::{Column, Spec};
use crate::table::{self, Columns};
use crate::words::{did_you_mean, one_of, quoted};
use crate::{name, number};

/// One row of the table. What is `None` is wrong and reported.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) at: Span,
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
    let table = table::find(spec, source, problems)?;
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

fn read_row(
    spec: &Spec,
    columns: &Columns,
    row: &Row,
    problems: &mut Problems<'_>,
) -> Option<Listed> {
    if row.cells.iter().all(|cell| cell.text.is_empty()) {
        problems.add(row.at, "this row is empty; delete it");
        return None;
    }
    if row.written != columns.width() {
        let cells = if row.written == 1 { "cell" } else { "cells" };
        problems.add(
            row.at,
            format!(
                "this row has {} {cells} and the table {} columns; write an empty cell where \
                 nothing is to be said, and a pipe inside a cell as `\\|`",
                row.written,
                columns.width()
            ),
        );
    }
    let class = columns.cell(row, Column::Class)?;
    let used_for = columns.cell(row, Column::UsedFor);
    let mut cells = Cells { spec, columns, row, problems };
    Some(Listed {
        at: class.at,
        name: class.text.clone(),
        variant: cells.required(Column::Class, |text| name::class_variant(text, spec.prefix())),
        key: cells.required(Column::Key, KeyKind::parse),
        per_minute: cells.number(Column::PerMinute, number::FASTEST),
        burst: cells.number(Column::Burst, u32::MAX),
        surface: cells.required(Column::Surface, parse_surface),
        reserved: cells.optional(Column::Reserved, parse_reserved),
        used_for: used_for.map(|cell| cell.text.clone()).unwrap_or_default(),
        used_for_markdown: used_for.map(|cell| cell.markdown.clone()).unwrap_or_default(),
    })
}

/// The cells of a row; what cannot be read is `None` and reported.
struct Cells<'a, 'p, 'f> {
    spec: &'a Spec,
    columns: &'a Columns,
    row: &'a Row,
    problems: &'p mut Problems<'f>,
}

impl Cells<'_, '_, '_> {
    fn optional<T>(
        &mut self,
        column: Column,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let cell = self.columns.cell(self.row, column)?;
        parse(&cell.text).map_err(|message| self.problems.add(cell.at, message)).ok()
    }

    fn required<T>(
        &mut self,
        column: Column,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        // A row that is too short is reported as such, and no cell of it as empty or as a name.
        let is_short = self.row.written < self.columns.width();
        let cell = self.columns.cell(self.row, column)?;
        if is_short && (cell.text.is_empty() || column == Column::Class) {
            return None;
        }
        if cell.text.is_empty() {
            let name = self.spec.column_name(column);
            self.problems.add(cell.at, format!("`{name}` is empty"));
            return None;
        }
        self.optional(column, parse)
    }

    fn number(&mut self, column: Column, most: u32) -> Option<u32> {
        let name = self.spec.column_name(column);
        self.required(column, |text| {
            number::parse(text, most).map_err(|why| format!("`{name}` {why}"))
        })
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
        if let Some(line) = names.insert(&class.name, class.at.start.line) {
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
