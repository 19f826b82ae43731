//! "Did you mean": the known name that a misspelt one stands for.

/// The nearest of the known names, when it is near enough to be meant.
pub(crate) fn nearest<'a>(
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    const LONGEST: usize = 256;
    let length = given.chars().count();
    if length > LONGEST {
        return None;
    }
    // One slip in a short word, one in three letters of a long one.
    let allowed = (length / 3).max(1);
    known
        .into_iter()
        .map(|name| (strsim::osa_distance(given, name), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}
