//! Shows problems the way the compiler does: the message, the line, and carets under what is meant.

use std::collections::HashMap;
use std::fs;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use tollgate_codegen::Problem;

/// All of them, each with its excerpt, ready for a terminal.
pub(crate) fn of(problems: &[Problem]) -> String {
    let mut texts: HashMap<&str, String> = HashMap::new();
    for problem in problems {
        texts.entry(&problem.file).or_insert_with(|| text_of(&problem.file));
    }
    let lines: HashMap<&str, Vec<&str>> =
        texts.iter().map(|(file, text)| (*file, text.split('\n').collect())).collect();
    let mut out = String::new();
    for problem in problems {
        let line = lines
            .get(problem.file.as_str())
            .and_then(|lines| lines.get(problem.at.line.saturating_sub(1)))
            .map_or("", |line| line.trim_end_matches('\r'));
        out.push_str(&excerpt(problem, line));
        out.push_str("\n\n");
    }
    out
}

/// A file that cannot be read any more has no lines to show; what is wrong is said all the same.
fn text_of(file: &str) -> String {
    let bytes = fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned()
}

fn excerpt(problem: &Problem, line: &str) -> String {
    let Problem { file, at, end, message, .. } = problem;
    let start = offset(line, at.column);
    // Text of several lines is underlined on its first.
    let end = if end.line == at.line { offset(line, end.column) } else { line.len() };
    let annotation = AnnotationKind::Primary.span(start..end.max(start));
    let snippet = Snippet::source(line).line_start(at.line).path(file).annotation(annotation);
    let report = [Level::ERROR.primary_title(message).element(snippet)];
    Renderer::styled().render(&report)
}

/// The byte at which a column of a line starts.
fn offset(line: &str, column: usize) -> usize {
    let mut characters = line.char_indices().map(|(offset, _)| offset);
    characters.nth(column.saturating_sub(1)).unwrap_or(line.len())
}
