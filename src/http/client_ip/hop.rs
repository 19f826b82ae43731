//! One hop of `X-Forwarded-For` or `Forwarded`, read from bytes that anybody may have written.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The longest element of `Forwarded` that is read; the rest of a longer one stays unread.
const LONGEST_ELEMENT: usize = 1024;

/// The longest text of an address with brackets, zone and port.
const LONGEST_NODE: usize = 128;

/// A hop of `X-Forwarded-For`, which has no standard: an address, with brackets, quotes and port or
/// without.
pub(super) fn x_forwarded_for(hop: &[u8]) -> Option<IpAddr> {
    value(hop).and_then(|text| node(text.as_str()?))
}

/// A hop of `Forwarded` (RFC 7239, section 4): the one parameter `for` among others.
///
/// The address may stand without the quotes that the RFC demands around colons and brackets,
/// because proxies leave them out.
pub(super) fn forwarded(hop: &[u8]) -> Option<IpAddr> {
    let mut found = None;
    for pair in Split::new(hop, b';').map(<[u8]>::trim_ascii).filter(|pair| !pair.is_empty()) {
        let equals = pair.iter().position(|byte| *byte == b'=')?;
        let (name, rest) = pair.split_at_checked(equals)?;
        if name.eq_ignore_ascii_case(b"for") {
            if found.is_some() {
                return None;
            }
            found = Some(rest.get(1..)?);
        }
    }
    value(found?).and_then(|text| node(text.as_str()?))
}

/// The elements of a list of `Forwarded`, the last one first.
///
/// They are found from the end, because what stands before the element of a trusted proxy may be
/// written by an enemy, for instance with a quote that never closes.
pub(super) fn elements_from_the_right(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    Split::new(line, b',')
}

/// The parts of a text between separators outside of quotes, the last one first.
struct Split<'a> {
    rest: Option<&'a [u8]>,
    separator: u8,
}

impl<'a> Split<'a> {
    fn new(text: &'a [u8], separator: u8) -> Self {
        Self { rest: Some(text), separator }
    }
}

impl<'a> Iterator for Split<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest.take()?;
        let mut quoted = false;
        for (index, byte) in rest.iter().copied().enumerate().rev().take(LONGEST_ELEMENT) {
            if byte == b'"' {
                // Within quotes, only a quote that is not escaped opens them.
                quoted = !quoted || is_escaped(rest, index);
            } else if byte == self.separator && !quoted {
                self.rest = rest.get(..index);
                return rest.get(index + 1..);
            }
        }
        // The first part, or one that is too long or whose quotes do not open: no reader of hops
        // makes sense of the latter two, so the walk ends there.
        Some(rest)
    }
}

/// Whether an odd number of backslashes stands before the byte at `index`.
fn is_escaped(text: &[u8], index: usize) -> bool {
    let before = text.get(..index).unwrap_or_default();
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// The text of a token or of a quoted string, in a buffer as long as an address can be.
struct Text {
    bytes: [u8; LONGEST_NODE],
    length: usize,
}

impl Text {
    fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes.get(..self.length)?).ok()
    }
}

fn value(raw: &[u8]) -> Option<Text> {
    let mut text = Text { bytes: [0; LONGEST_NODE], length: 0 };
    let inner = match raw {
        [b'"', inner @ .., b'"'] => inner,
        other => {
            if other.contains(&b'"') || other.contains(&b'\\') {
                return None;
            }
            other
        }
    };
    let mut bytes = inner.iter().copied();
    while let Some(byte) = bytes.next() {
        let byte = match byte {
            b'"' => return None,
            b'\\' => bytes.next()?,
            plain => plain,
        };
        *text.bytes.get_mut(text.length)? = byte;
        text.length += 1;
    }
    Some(text)
}

/// A node (RFC 7239, section 6) that is an address; obfuscated ones and `unknown` are not.
fn node(text: &str) -> Option<IpAddr> {
    if let Some(rest) = text.strip_prefix('[') {
        let (address, rest) = rest.split_once(']')?;
        let port_follows = rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
        return if port_follows { ipv6(address) } else { None };
    }
    if let Some(address) = ipv6(text) {
        return Some(address);
    }
    let address = match text.split_once(':') {
        Some((address, port)) if is_port(port) => address,
        Some(_) => return None,
        None => text,
    };
    Ipv4Addr::from_str(address).ok().map(IpAddr::V4)
}

/// An IPv6 address; a zone means something to the host that wrote it only, and is left out.
fn ipv6(text: &str) -> Option<IpAddr> {
    let address = match text.split_once('%') {
        Some((_, "")) => return None,
        Some((address, _zone)) => address,
        None => text,
    };
    Ipv6Addr::from_str(address).ok().map(IpAddr::V6)
}

/// A port, or an obfuscated one.
fn is_port(text: &str) -> bool {
    match text.strip_prefix('_') {
        Some(name) => {
            let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
            !name.is_empty() && name.bytes().all(plain)
        }
        None => (1..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit()),
    }
}
