//! Operations that no router can tell apart.

use std::collections::HashMap;

use crate::catalogue::Operation;
use crate::operation::parameter;
use crate::problem::{Problems, Span};

/// Refuses an operation that is there already, and a path that meets another one.
pub(crate) fn refuse_conflicts<'a>(
    operations: impl Iterator<Item = &'a (Span, Operation)>,
    problems: &mut Problems<'_>,
) {
    let mut known = HashMap::new();
    let mut paths = Paths::default();
    for (at, operation) in operations {
        if let Some(line) = known.insert(operation, at.start.line) {
            problems.add(*at, format!("operation `{operation}` is already on line {line}"));
        } else if let Some(message) = paths.add(at.start.line, &operation.path) {
            problems.add(*at, message);
        }
    }
}

/// The paths of a list, each with its line.
#[derive(Default)]
struct Paths<'a> {
    by_shape: HashMap<String, (usize, &'a str)>,
    /// The first path with a parameter behind a shape, and the first that takes the rest there.
    parameters: HashMap<String, (usize, &'a str)>,
    rests: HashMap<String, (usize, &'a str)>,
}

impl<'a> Paths<'a> {
    /// Adds a path; when it meets another one, gives the text for the user.
    fn add(&mut self, line: usize, path: &'a str) -> Option<String> {
        let (first, same) = *self.by_shape.entry(shape(path)).or_insert((line, path));
        if same != path {
            return Some(format!(
                "path `{path}` differs from `{same}` on line {first} only in the name of a \
                 parameter; use one name"
            ));
        }
        let mut met = None;
        let mut before = String::new();
        for segment in path.split('/').skip(1) {
            if let Some(name) = parameter(segment) {
                let (own, others) = if name.starts_with('*') {
                    (&mut self.rests, &self.parameters)
                } else {
                    (&mut self.parameters, &self.rests)
                };
                met = met.or_else(|| others.get(&before).copied());
                own.entry(before.clone()).or_insert((line, path));
            }
            before.push('/');
            before.push_str(shape_of(segment));
        }
        met.map(|(line, other)| {
            format!(
                "path `{path}` meets `{other}` on line {line}: at one place one of them has a \
                 parameter and the other takes the rest"
            )
        })
    }
}

/// The path without the names of its parameters: paths of one shape match the same requests.
fn shape(path: &str) -> String {
    path.split('/').map(shape_of).collect::<Vec<_>>().join("/")
}

fn shape_of(segment: &str) -> &str {
    match parameter(segment) {
        Some(name) if name.starts_with('*') => "{*}",
        Some(_) => "{}",
        None => segment,
    }
}
