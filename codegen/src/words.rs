//! The words of messages: quotations, lists, and "did you mean".

/// What a file says, fit for a message of one line.
pub(crate) fn quoted(given: &str) -> String {
    const SHOWN: usize = 80;
    let start: String = given.chars().take(SHOWN).collect();
    let end = if start.len() < given.len() { "..." } else { "" };
    let printable: String = start.chars().flat_map(printable).collect();
    format!("`{printable}{end}`")
}

/// The character itself, or its escape when it is invisible.
fn printable(char: char) -> impl Iterator<Item = char> {
    let escape = !matches!(char, '\'' | '"' | '\\') && char.escape_debug().len() > 1;
    let plain = (!escape).then_some(char);
    plain.into_iter().chain(escape.then(|| char.escape_debug()).into_iter().flatten())
}

/// A list for a message, as in `` `a`, `b` or `c` ``.
pub(crate) fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// The question to end a message with, or nothing.
pub(crate) fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(given, known).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// The nearest of the known names, when it is near enough to be meant.
///
/// Case, `_` and `-` do not count, and a name without its first parts is nearly the whole: `read`
/// finds `rl.read`. The library suggests by the same rule.
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
        .map(|name| (distance(&given, &folded(name)), name))
        .filter(|(distance, _)| *distance <= allowed && *distance < length)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

fn distance(given: &str, known: &str) -> usize {
    if known.strip_suffix(given).is_some_and(|head| head.ends_with('.')) {
        return 1;
    }
    strsim::osa_distance(given, known)
}

/// The letters that count.
fn folded(name: &str) -> String {
    name.chars().filter(|char| !matches!(char, '_' | '-')).flat_map(char::to_lowercase).collect()
}
