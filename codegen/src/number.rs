//! Whole numbers, as tables and lists write them.

use crate::words::quoted;

/// Reads a number from 1 to 2^32 - 1; the error is the text for the user, after the number's name.
pub(crate) fn parse(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("is {}, which is not a whole number; write digits only", quoted(text)));
    }
    match text.parse() {
        Ok(0) | Err(_) => Err(format!("is {}; it must be 1 to {}", quoted(text), u32::MAX)),
        Ok(number) => Ok(number),
    }
}
