//! Operations: `METHOD /path/{param}`.

use crate::catalogue::Operation;
use crate::words::{did_you_mean, one_of, quoted};

const METHODS: [&str; 7] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/// Reads an operation; the error is the text for the user.
pub(crate) fn parse(text: &str) -> Result<Operation, String> {
    let Some((method, path)) = text.split_once(' ') else {
        return Err(format!(
            "operation {} is not a method and a path; write it as in `GET /v1/users/{{user_id}}`",
            quoted(text)
        ));
    };
    if !METHODS.contains(&method) {
        let near = did_you_mean(method, METHODS);
        let known =
            if near.is_empty() { format!("; the methods are {}", one_of(METHODS)) } else { near };
        return Err(format!("unknown method {}{known}", quoted(method)));
    }
    check_path(path).map_err(|why| format!("path {} {why}", quoted(path)))?;
    Ok(Operation { method: method.to_owned(), path: path.to_owned() })
}

fn check_path(path: &str) -> Result<(), String> {
    let Some(inner) = path.strip_prefix('/') else {
        return Err("does not start with `/`".to_owned());
    };
    if inner.is_empty() {
        return Ok(());
    }
    let mut names = Vec::new();
    let mut segments = inner.split('/').peekable();
    while let Some(segment) = segments.next() {
        if segment.is_empty() && segments.peek().is_none() {
            return Err("ends with `/`; leave it out".to_owned());
        }
        if segment.is_empty() {
            return Err("has an empty segment; write one `/` between two segments".to_owned());
        }
        let Some(name) = parameter(segment) else {
            check_literal(segment)?;
            continue;
        };
        let word = match name.strip_prefix('*') {
            Some(_) if segments.peek().is_some() => {
                return Err(format!("goes on after {}, which takes the rest", quoted(segment)));
            }
            Some(word) => word,
            None => name,
        };
        if !is_parameter_name(word) {
            return Err(format!(
                "has the parameter {}, whose name is not made of letters, digits and `_`, starting \
                 with a letter",
                quoted(segment)
            ));
        }
        if names.contains(&word) {
            return Err(format!("has the parameter {} twice", quoted(segment)));
        }
        names.push(word);
    }
    Ok(())
}

/// What stands between the braces of a segment.
pub(crate) fn parameter(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

fn is_parameter_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// A segment of RFC 3986 section 3.3 that no router takes for a parameter.
fn check_literal(segment: &str) -> Result<(), String> {
    if let Some(name) = segment.strip_prefix([':', '*', '<']) {
        let name = name.trim_end_matches('>');
        return Err(format!(
            "has the segment {}; a parameter is written in braces, as in `{{{}}}`",
            quoted(segment),
            if is_parameter_name(name) { name } else { "name" },
        ));
    }
    if segment.contains(['{', '}']) {
        return Err(format!(
            "has the segment {}; a parameter in braces is a whole segment",
            quoted(segment)
        ));
    }
    if matches!(segment, "." | "..") {
        return Err(format!("has the segment `{segment}`, which clients resolve away"));
    }
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        let accepted = match byte {
            b'%' => [rest.next(), rest.next()]
                .iter()
                .all(|hex| hex.is_some_and(|h| h.is_ascii_hexdigit())),
            byte => byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte),
        };
        if !accepted {
            return Err(format!(
                "has the segment {}, in which something is not allowed in a path; percent-encode it",
                quoted(segment)
            ));
        }
    }
    Ok(())
}
