//! "Did you mean": the known name that a misspelt one stands for.

/// The nearest of the known names, when it is near enough to be meant.
///
/// Case, `_` and `-` do not count, so `maxTrackedKeys` finds `max_tracked_keys`; and a name without
/// its first parts is nearly the whole, so `read` finds `rl.read`.
pub(crate) fn nearest<'a>(
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    const LONGEST: usize = 256;
    let given = folded(given);
    let length = given.chars().count();
    if length == 0 || length > LONGEST {
        return None;
    }
    // One slip in a short word, one in three letters of a long one.
    let allowed = (length / 3).max(1);
    known
        .into_iter()
        .filter_map(|name| Some((distance(&given, &folded(name), allowed)?, name)))
        .filter(|(distance, _)| *distance < length)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many slips lie between two names, unless there are more than `allowed`.
fn distance(given: &str, known: &str, allowed: usize) -> Option<usize> {
    if known.strip_suffix(given).is_some_and(|head| head.ends_with('.')) {
        return Some(1);
    }
    // Counting the letters first spares most of the work.
    let far = given.chars().count().abs_diff(known.chars().count()) > allowed;
    (!far).then(|| strsim::osa_distance(given, known)).filter(|slips| *slips <= allowed)
}

/// The letters that count.
fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = ["rl.read", "rl.export", "max_tracked_keys", "burst"];

    #[test]
    fn finds_a_swapped_a_missing_and_a_wrong_letter() {
        assert_eq!(nearest("rl.raed", KNOWN), Some("rl.read"));
        assert_eq!(nearest("rl.exprt", KNOWN), Some("rl.export"));
        assert_eq!(nearest("birst", KNOWN), Some("burst"));
    }

    #[test]
    fn case_and_underscores_do_not_count() {
        assert_eq!(nearest("maxTrackedKeys", KNOWN), Some("max_tracked_keys"));
        assert_eq!(nearest("MAX-TRACKED-KEYS", KNOWN), Some("max_tracked_keys"));
    }

    #[test]
    fn the_last_part_of_a_name_finds_it() {
        assert_eq!(nearest("read", KNOWN), Some("rl.read"));
        assert_eq!(nearest("ead", KNOWN), None);
    }

    #[test]
    fn a_far_an_empty_and_an_endless_name_have_no_nearest() {
        assert_eq!(nearest("colour", KNOWN), None);
        assert_eq!(nearest("", KNOWN), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest(&"rl.read".repeat(100), KNOWN), None);
    }
}
