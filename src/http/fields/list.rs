//! Lists of strings with parameters, as structured fields (RFC 9651): written, and joined.

use std::fmt::{self, Write as _};

use http::header::{HeaderMap, HeaderName, HeaderValue};

use super::member::members;

/// A list of strings with parameters (RFC 9651, sections 3.1 and 3.3.3), or nothing without members.
pub(super) fn list<'a, M>(
    members: impl Iterator<Item = (&'a str, M)>,
    parameters: impl Fn(&mut Text, M) -> fmt::Result,
) -> Option<HeaderValue> {
    let mut out = Text::new();
    for (name, member) in members {
        if !out.as_bytes().is_empty() {
            out.write_str(", ").ok()?;
        }
        string(&mut out, name).ok()?;
        parameters(&mut out, member).ok()?;
    }
    let bytes = out.as_bytes();
    if bytes.is_empty() { None } else { HeaderValue::from_bytes(bytes).ok() }
}

/// A string of a structured field. It holds printable ASCII only, so any other byte is
/// percent-encoded; names that the configuration accepts have none.
fn string(out: &mut Text, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => write!(out, "\\{}", char::from(byte))?,
            b' '..=b'~' => out.write_char(char::from(byte))?,
            _ => write!(out, "%{byte:02X}")?,
        }
    }
    out.write_char('"')
}

/// A text that is usually short enough for the stack, so that the value made of it is the only
/// allocation.
pub(super) struct Text {
    short: [u8; 192],
    length: usize,
    /// Everything, as soon as it is too long.
    long: Vec<u8>,
}

impl Text {
    fn new() -> Self {
        Self { short: [0; 192], length: 0, long: Vec::new() }
    }

    fn as_bytes(&self) -> &[u8] {
        if self.long.is_empty() {
            self.short.get(..self.length).unwrap_or_default()
        } else {
            &self.long
        }
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        if let Some(free) = self.short.get_mut(self.length..end).filter(|_| self.long.is_empty()) {
            free.copy_from_slice(text.as_bytes());
            self.length = end;
            return Ok(());
        }
        if self.long.is_empty() {
            self.long.extend_from_slice(self.short.get(..self.length).unwrap_or_default());
        }
        self.long.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

/// Puts a list into a field, before the members that the field has and the list has not.
pub(super) fn join(headers: &mut HeaderMap, name: HeaderName, list: HeaderValue) {
    let mut joined = Vec::new();
    for line in headers.get_all(&name) {
        for member in members(line.as_bytes()).into_iter().flatten() {
            let mut own = members(list.as_bytes()).into_iter().flatten();
            if own.any(|own| own.string == member.string) {
                continue;
            }
            if joined.is_empty() {
                joined.extend_from_slice(list.as_bytes());
            }
            joined.extend_from_slice(b", ");
            joined.extend_from_slice(member.text);
        }
    }
    let joined = HeaderValue::from_bytes(&joined).ok().filter(|joined| !joined.is_empty());
    headers.insert(name, joined.unwrap_or(list));
}

/// Whether a field has a member with this string.
pub(super) fn has_member(headers: &HeaderMap, field: &HeaderName, name: &str) -> bool {
    let mut text = Text::new();
    if string(&mut text, name).is_err() {
        return false;
    }
    let lines = headers.get_all(field).iter();
    let mut members = lines.flat_map(|line| members(line.as_bytes()).unwrap_or_default());
    members.any(|member| member.string == text.as_bytes())
}
