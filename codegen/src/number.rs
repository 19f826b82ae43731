//! Whole numbers, as tables and lists write them.

use crate::words::quoted;

/// The most tokens that a bucket may gain in a minute, which is ten million a second.
pub(crate) const FASTEST: u32 = 600_000_000;

/// Reads a number from 1; the error is the text for the user, after the number's name.
pub(crate) fn parse(text: &str, most: u32) -> Result<u32, String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("is {}, which is not a whole number; write digits only", quoted(text)));
    }
    match text.parse() {
        Ok(number) if (1..=most).contains(&number) => Ok(number),
        _ => Err(format!("is {}; it must be 1 to {most}", quoted(text))),
    }
}
