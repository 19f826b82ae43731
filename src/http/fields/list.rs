//! Lists of strings with parameters, as structured fields (RFC 9651): written, and joined.

use http::header::{Entry, HeaderMap, HeaderName, HeaderValue};

use super::member::members;

/// A list of strings with parameters that is being written (RFC 9651, sections 3.1 and 3.3.3).
///
/// It is usually short enough for the stack, so that the value made of it is the only allocation. Every response has two of
/// them, so nothing here goes through the machinery of `std::fmt`, which takes longer than the decision.
pub(super) struct List {
    short: [u8; 128],
    length: usize,
    /// Everything, as soon as it is too long.
    long: Vec<u8>,
}

impl List {
    pub(super) fn new() -> Self {
        Self { short: [0; 128], length: 0, long: Vec::new() }
    }

    /// Begins a member: a string. It holds printable ASCII only, so any other byte is percent-encoded; names that the
    /// configuration accepts have none.
    pub(super) fn member(&mut self, name: &str) {
        if self.length > 0 {
            self.push(b", ");
        }
        self.string(name);
    }

    /// A parameter of the last member, as in `;q=`, whose value is an integer.
    #[inline]
    pub(super) fn parameter(&mut self, name: &str, value: u64) {
        self.push(name.as_bytes());
        let (mut rest, mut digits, mut first) = (value, [0; 20], 20);
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            first -= 1;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.push(digits.get(first..).unwrap_or_default());
    }

    /// The field's value; nothing without members.
    pub(super) fn value(&self) -> Option<HeaderValue> {
        let bytes = self.as_bytes();
        if bytes.is_empty() { None } else { HeaderValue::from_bytes(bytes).ok() }
    }

    fn string(&mut self, text: &str) {
        self.push(b"\"");
        if text.bytes().all(is_plain) {
            self.push(text.as_bytes());
        } else {
            text.bytes().for_each(|byte| self.byte(byte));
        }
        self.push(b"\"");
    }

    fn byte(&mut self, byte: u8) {
        match byte {
            _ if is_plain(byte) => self.push(&[byte]),
            b'"' | b'\\' => self.push(&[b'\\', byte]),
            _ => self.push(format!("%{byte:02X}").as_bytes()),
        }
    }

    #[inline]
    fn push(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        match self.short.get_mut(self.length..end) {
            Some(free) if self.long.is_empty() => free.copy_from_slice(bytes),
            _ => {
                if self.long.is_empty() {
                    self.long.extend_from_slice(self.short.get(..self.length).unwrap_or_default());
                }
                self.long.extend_from_slice(bytes);
            }
        }
        self.length = end;
    }

    fn as_bytes(&self) -> &[u8] {
        if self.long.is_empty() {
            self.short.get(..self.length).unwrap_or_default()
        } else {
            &self.long
        }
    }
}

/// Whether a byte stands for itself in a string.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
}

/// Puts a list into a field, before the members that the field has and the list has not.
pub(super) fn join(headers: &mut HeaderMap, name: HeaderName, list: HeaderValue) {
    match headers.entry(name) {
        Entry::Occupied(mut field) => {
            let joined = joined(field.iter(), &list).unwrap_or(list);
            field.insert(joined);
        }
        Entry::Vacant(field) => {
            field.insert(list);
        }
    }
}

/// The list and the members that only the field has; nothing when it has none.
fn joined<'a>(
    lines: impl Iterator<Item = &'a HeaderValue>,
    list: &HeaderValue,
) -> Option<HeaderValue> {
    let mut joined = Vec::new();
    for line in lines {
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
    if joined.is_empty() { None } else { HeaderValue::from_bytes(&joined).ok() }
}

/// Whether a field has a member with this string.
pub(super) fn has_member(headers: &HeaderMap, field: &HeaderName, name: &str) -> bool {
    let mut own = List::new();
    own.member(name);
    let lines = headers.get_all(field).iter();
    let mut members = lines.flat_map(|line| members(line.as_bytes()).unwrap_or_default());
    members.any(|member| member.string == own.as_bytes())
}
