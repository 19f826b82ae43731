//! Lists of strings with parameters, as structured fields (RFC 9651): written, and joined.

use http::header::{HeaderMap, HeaderName, HeaderValue};

use super::member::members;

/// A list of strings with parameters that is being written (RFC 9651, sections 3.1 and 3.3.3).
///
/// It is usually short enough for the stack, so that the value made of it is the only allocation. Every response has one or
/// two of them, so nothing here goes through the machinery of `std::fmt`, which takes longer than the decision.
#[derive(Clone, Debug)]
pub(super) struct List {
    short: [u8; 64],
    length: usize,
    /// Everything, as soon as it is too long.
    long: Vec<u8>,
}

impl List {
    pub(super) fn new() -> Self {
        Self { short: [0; 64], length: 0, long: Vec::new() }
    }

    /// Begins a member: a string. It holds printable ASCII only, so any other byte is percent-encoded; names that the
    /// configuration accepts have none.
    pub(super) fn member(&mut self, name: &str) {
        if self.length > 0 {
            self.push(b", ");
        }
        self.push(b"\"");
        for byte in name.bytes() {
            match byte {
                b'"' | b'\\' => self.push(&[b'\\', byte]),
                b' '..=b'~' => self.push(&[byte]),
                _ => self.push(format!("%{byte:02X}").as_bytes()),
            }
        }
        self.push(b"\"");
    }

    /// A parameter of the last member, as in `;q=`, whose value is an integer.
    #[inline]
    pub(super) fn parameter<const N: usize>(&mut self, name: &[u8; N], value: u64) {
        // Its length is a constant here, so that this is no call.
        self.grow(N).copy_from_slice(name);
        self.push(itoa::Buffer::new().format(value).as_bytes());
    }

    /// The field's value; nothing without members.
    pub(super) fn value(&self) -> Option<HeaderValue> {
        let bytes = self.as_bytes();
        if bytes.is_empty() { None } else { HeaderValue::from_bytes(bytes).ok() }
    }

    fn as_bytes(&self) -> &[u8] {
        if self.long.is_empty() {
            self.short.get(..self.length).unwrap_or_default()
        } else {
            &self.long
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.grow(bytes.len()).copy_from_slice(bytes);
    }

    /// Room for so many bytes more.
    #[inline]
    fn grow(&mut self, count: usize) -> &mut [u8] {
        let start = self.length;
        self.length += count;
        if self.length <= self.short.len() {
            return self.short.get_mut(start..self.length).unwrap_or_default();
        }
        if self.long.is_empty() {
            self.long.extend_from_slice(self.short.get(..start).unwrap_or_default());
        }
        self.long.resize(self.length, 0);
        self.long.get_mut(start..).unwrap_or_default()
    }
}

/// Makes one line of a field whose last line is a list: that first, then the members of the others that it has not.
pub(super) fn unite(headers: &mut HeaderMap, name: &HeaderName) {
    let mut lines = headers.get_all(name).iter();
    if let Some(list) = lines.next_back() {
        let united = united(list, lines).unwrap_or_else(|| list.clone());
        headers.insert(name, united);
    }
}

/// The list and the members that only the lines have; nothing when they have none.
fn united<'a>(
    list: &HeaderValue,
    lines: impl Iterator<Item = &'a HeaderValue>,
) -> Option<HeaderValue> {
    let mut united = Vec::new();
    for line in lines {
        for member in members(line.as_bytes()).into_iter().flatten() {
            let mut own = members(list.as_bytes()).into_iter().flatten();
            if own.any(|own| own.string == member.string) {
                continue;
            }
            if united.is_empty() {
                united.extend_from_slice(list.as_bytes());
            }
            united.extend_from_slice(b", ");
            united.extend_from_slice(member.text);
        }
    }
    if united.is_empty() { None } else { HeaderValue::from_bytes(&united).ok() }
}

/// Whether a field has a member with this string.
pub(super) fn has_member(headers: &HeaderMap, field: &HeaderName, name: &str) -> bool {
    let mut own = List::new();
    own.member(name);
    let lines = headers.get_all(field).iter();
    let mut members = lines.flat_map(|line| members(line.as_bytes()).unwrap_or_default());
    members.any(|member| member.string == own.as_bytes())
}
