//! `tollgate check`: everything that is wrong with a catalogue.

use std::fmt::Write as _;

use serde::Serialize;
use tollgate_codegen::{Catalogue, Problem};

use crate::answer::{Answer, Trouble};
use crate::arguments::{Check, CheckFormat};
use crate::excerpt;
use crate::words::count;

pub(crate) fn run(command: &Check) -> Result<Answer, Trouble> {
    let files = command.names.files(&command.folder);
    let (catalogue, problems) = match command.names.read(&command.folder)? {
        Ok(catalogue) => (Some(catalogue), Vec::new()),
        Err(broken) => (None, broken.0),
    };
    let text = match command.format {
        CheckFormat::Text => text(&files, catalogue.as_ref(), &problems),
        CheckFormat::Json => json(&problems),
        CheckFormat::Github => problems.iter().map(annotation).collect(),
    };
    Ok(Answer { text, is_bad: !problems.is_empty() })
}

fn text(files: &[String; 2], catalogue: Option<&Catalogue>, problems: &[Problem]) -> String {
    let [chapter, actions] = files;
    let found = match catalogue {
        Some(catalogue) => format!(
            "{} and {}, nothing wrong",
            count(catalogue.classes().len(), "class", "classes"),
            count(catalogue.actions().len(), "action", "actions"),
        ),
        None => count(problems.len(), "problem", "problems"),
    };
    format!("{}{chapter} and {actions}: {found}\n", excerpt::of(problems))
}

/// A problem for programs. Lines and columns count from 1, columns in characters; the end is behind the
/// last character.
#[derive(Serialize)]
struct Found<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    message: &'a str,
}

fn json(problems: &[Problem]) -> String {
    let problems: Vec<Found<'_>> = problems
        .iter()
        .map(|problem| Found {
            file: &problem.file,
            line: problem.at.line,
            column: problem.at.column,
            end_line: problem.end.line,
            end_column: problem.end.column,
            message: &problem.message,
        })
        .collect();
    format!("{}\n", serde_json::json!({ "problems": problems }))
}

/// A line that GitHub's runner turns into an annotation of the changed file. Its end is the last
/// character and not the one behind it.
fn annotation(problem: &Problem) -> String {
    let Problem { file, at, end, message, .. } = problem;
    let last = end.column.saturating_sub(1).max(at.column);
    let mut line = format!("::error file={},line={}", escaped(file, &[':', ',']), at.line);
    if end.line == at.line {
        // Writing to a text cannot fail.
        let _ = write!(line, ",col={},endColumn={last}", at.column);
    }
    format!("{line},title=Rate-limit catalogue::{}\n", escaped(message, &[]))
}

/// The escapes of GitHub's workflow commands.
fn escaped(text: &str, also: &[char]) -> String {
    let mut out = String::new();
    for char in text.chars() {
        if matches!(char, '%' | '\r' | '\n') || also.contains(&char) {
            let _ = write!(out, "%{:02X}", u32::from(char));
        } else {
            out.push(char);
        }
    }
    out
}
