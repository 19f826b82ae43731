//! Durations as configuration writes them: a whole number and a unit, as in `"50ms"`.

use std::time::Duration;

/// Units and their length in milliseconds, the longest first.
const UNITS: [(&str, u64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// The duration that `text` spells.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let (_, millis) = UNITS.iter().find(|(name, _)| *name == unit)?;
    Some(Duration::from_millis(number.parse::<u64>().ok()?.checked_mul(*millis)?))
}

/// The shortest spelling of a duration of whole milliseconds.
pub(super) fn format(duration: Duration) -> String {
    let total = duration.as_millis();
    let whole = |(_, millis): &&(&str, u64)| total % u128::from(*millis) == 0;
    let (unit, millis) = UNITS.iter().find(whole).copied().unwrap_or(("ms", 1));
    format!("{}{unit}", total / u128::from(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read_and_written() {
        for (text, millis) in
            [("50ms", 50), ("60s", 60_000), ("1m", 60_000), ("2h", 7_200_000), ("1d", 86_400_000)]
        {
            assert_eq!(parse(text), Some(Duration::from_millis(millis)), "{text}");
        }
        for (millis, text) in [(50, "50ms"), (60_000, "1m"), (61_000, "61s"), (86_400_000, "1d")] {
            assert_eq!(format(Duration::from_millis(millis)), text);
        }
    }

    #[test]
    fn a_number_without_a_unit_and_a_unit_without_a_number_are_no_durations() {
        for text in
            ["", "60", "s", "ms", "1.5s", "-1s", "+1s", "1 s", " 1s", "1s ", "1S", "1w", "1m1s"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_duration_beyond_64_bits_of_milliseconds_is_none() {
        assert_eq!(parse("18446744073709551615ms"), Some(Duration::from_millis(u64::MAX)));
        assert_eq!(parse("18446744073709551616ms"), None);
        assert_eq!(parse("18446744073709551615d"), None);
    }
}
