//! The members of a list of strings, found in a field that somebody else wrote (RFC 9651, section 4.2).

/// A member of a list: an item that is a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member<'a> {
    /// The string, with its quotes and escapes.
    pub(super) string: &'a [u8],
    /// The whole member: the string and its parameters.
    pub(super) text: &'a [u8],
}

/// All members of a list of strings with parameters; nothing when the text is anything else, because a list that has a
/// part of it could not be read either.
pub(super) fn members(text: &[u8]) -> Option<Vec<Member<'_>>> {
    let mut members = Vec::new();
    let mut rest = text.trim_ascii();
    if rest.is_empty() {
        return Some(members);
    }
    loop {
        let start = rest;
        let end_of_string = string(&mut rest).map(|()| start.len() - rest.len())?;
        parameters(&mut rest)?;
        let end = start.len() - rest.len();
        members.push(Member { string: start.get(..end_of_string)?, text: start.get(..end)? });
        rest = rest.trim_ascii_start();
        if rest.is_empty() {
            return Some(members);
        }
        eat(&mut rest, b',')?;
        rest = rest.trim_ascii_start();
    }
}

fn parameters(rest: &mut &[u8]) -> Option<()> {
    while eat(rest, b';').is_some() {
        take(rest, |byte| byte == b' ');
        let begins = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'*';
        rest.first().filter(|byte| begins(byte))?;
        take(rest, |byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-.*".contains(&byte)
        });
        if eat(rest, b'=').is_some() {
            bare_item(rest)?;
        }
    }
    Some(())
}

fn bare_item(rest: &mut &[u8]) -> Option<()> {
    match rest.first()? {
        b'"' => string(rest),
        b'%' => display_string(rest),
        b':' => bytes(rest),
        b'?' => {
            eat(rest, b'?')?;
            eat(rest, b'0').or_else(|| eat(rest, b'1'))
        }
        // A date; one with a fraction ends where no item may end.
        b'@' => {
            eat(rest, b'@')?;
            integer(rest).map(|_digits| ())
        }
        b'-' | b'0'..=b'9' => number(rest),
        b'*' | b'A'..=b'Z' | b'a'..=b'z' => {
            take(rest, |byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&byte));
            Some(())
        }
        _ => None,
    }
}

fn string(rest: &mut &[u8]) -> Option<()> {
    eat(rest, b'"')?;
    loop {
        take(rest, |byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\');
        if eat(rest, b'"').is_some() {
            return Some(());
        }
        eat(rest, b'\\')?;
        eat(rest, b'"').or_else(|| eat(rest, b'\\'))?;
    }
}

/// A string of any characters, those outside of ASCII as the bytes of UTF-8 in hexadecimal.
fn display_string(rest: &mut &[u8]) -> Option<()> {
    eat(rest, b'%')?;
    eat(rest, b'"')?;
    let mut text = Vec::new();
    loop {
        text.extend(take(rest, |byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'%'));
        if eat(rest, b'"').is_some() {
            return std::str::from_utf8(&text).is_ok().then_some(());
        }
        eat(rest, b'%')?;
        let (digits, after) = rest.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok()?;
        if !digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        text.push(u8::from_str_radix(digits, 16).ok()?);
        *rest = after;
    }
}

/// Bytes in base 64, padded or not: what is missing of the padding is no reason to fail (RFC 9651, section 4.2.7).
fn bytes(rest: &mut &[u8]) -> Option<()> {
    eat(rest, b':')?;
    let digits = take(rest, |byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte)).len();
    let padding = take(rest, |byte| byte == b'=').len();
    let is_whole = matches!((digits % 4, padding), (0, 0) | (2, 0..=2) | (3, 0..=1));
    eat(rest, b':').filter(|()| is_whole)
}

/// An integer or a decimal.
fn number(rest: &mut &[u8]) -> Option<()> {
    let digits = integer(rest)?;
    if eat(rest, b'.').is_some() {
        let fraction = take(rest, |byte| byte.is_ascii_digit()).len();
        return (digits <= 12 && (1..=3).contains(&fraction)).then_some(());
    }
    Some(())
}

/// How many digits an integer has.
fn integer(rest: &mut &[u8]) -> Option<usize> {
    let _sign = eat(rest, b'-');
    let digits = take(rest, |byte| byte.is_ascii_digit()).len();
    (1..=15).contains(&digits).then_some(digits)
}

fn eat(rest: &mut &[u8], byte: u8) -> Option<()> {
    *rest = rest.strip_prefix(&[byte])?;
    Some(())
}

/// What stands at the beginning and is accepted.
fn take<'a>(rest: &mut &'a [u8], accepts: impl Fn(u8) -> bool) -> &'a [u8] {
    let end = rest.iter().position(|byte| !accepts(*byte)).unwrap_or(rest.len());
    let (taken, after) = rest.split_at(end);
    *rest = after;
    taken
}
