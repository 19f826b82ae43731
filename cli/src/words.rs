//! Numbers in plain words.

/// A number of things, as in `1 class` or `2 classes`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// What a refill a minute is in other units, as in `10 a second` or `one every 3 s`.
pub(crate) fn pace(per_minute: u32) -> String {
    match per_minute {
        60 => "one a second".to_owned(),
        61.. if per_minute % 60 == 0 => format!("{} a second", per_minute / 60),
        61.. => format!("about {} a second", tenths(u64::from(per_minute) * 10 / 60)),
        _ => match time(1, per_minute) {
            (time, true) => format!("one every {time}"),
            (time, false) => format!("about one every {time}"),
        },
    }
}

/// The time in which a bucket gains that many tokens, as in `12 s` or `about 8.6 s`.
pub(crate) fn wait(tokens: u32, per_minute: u32) -> String {
    match time(tokens, per_minute) {
        (time, true) => time,
        (time, false) => format!("about {time}"),
    }
}

/// The same, and whether it is exact: it has two units at most.
fn time(tokens: u32, per_minute: u32) -> (String, bool) {
    let (tokens, rate) = (u64::from(tokens) * 600, u64::from(per_minute.max(1)));
    let is_even = tokens % rate == 0;
    let short = tokens.div_ceil(rate);
    if short < 1200 {
        return (format!("{} s", tenths(short)), is_even);
    }
    let mut rest = short / 10;
    let mut words = Vec::new();
    for (unit, length) in [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)] {
        if rest >= length && words.len() < 2 {
            words.push(format!("{} {unit}", rest / length));
            rest %= length;
        }
    }
    (words.join(" "), is_even && short % 10 == 0 && rest == 0)
}

/// A number of tenths, as in `8.6` or `12`.
fn tenths(number: u64) -> String {
    match number % 10 {
        0 => (number / 10).to_string(),
        rest => format!("{}.{rest}", number / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_is_in_the_unit_that_is_easiest_to_grasp() {
        for (per_minute, expected) in [
            (1, "one every 60 s"),
            (6, "one every 10 s"),
            (7, "about one every 8.6 s"),
            (20, "one every 3 s"),
            (40, "one every 1.5 s"),
            (60, "one a second"),
            (61, "about 1 a second"),
            (100, "about 1.6 a second"),
            (600, "10 a second"),
            (600_000_000, "10000000 a second"),
        ] {
            assert_eq!(pace(per_minute), expected);
        }
    }

    #[test]
    fn a_wait_that_is_not_exact_says_so() {
        for (tokens, per_minute, expected) in [
            (120, 600, "12 s"),
            (1, 600_000_000, "about 0.1 s"),
            (2, 1, "2 min"),
            (5, 2, "2 min 30 s"),
            (60, 1, "1 h"),
            (61, 1, "1 h 1 min"),
            (1500, 1, "1 d 1 h"),
            (1505, 1, "about 1 d 1 h"),
            (241, 120, "about 2 min"),
            (10, 7, "about 85.8 s"),
            (u32::MAX, 1, "about 2982616 d 4 h"),
        ] {
            assert_eq!(wait(tokens, per_minute), expected, "{tokens} at {per_minute}");
        }
    }
}
