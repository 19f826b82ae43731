//! Names of classes and actions: their grammar, and the Rust identifiers they become.

use crate::words::quoted;

/// The longest name; a policy of the limiter may not be longer either.
const LONGEST: usize = 128;

/// The variant of a class: `rl.public_auth` is `PublicAuth`.
///
/// The prefix is no part of the identifier. The error is the text for the user.
pub(crate) fn class_variant(name: &str, prefix: &str) -> Result<String, String> {
    match name.strip_prefix(prefix) {
        Some(words) => variant("class name", name, words),
        None => Err(format!(
            "class name {} does not start with `{prefix}`; write `{prefix}{}`",
            quoted(name),
            snake_case(name),
        )),
    }
}

/// The variant of an action: `message.send` is `MessageSend`.
pub(crate) fn action_variant(id: &str) -> Result<String, String> {
    variant("action id", id, id)
}

fn variant(what: &str, name: &str, words: &str) -> Result<String, String> {
    if !words.split('.').all(is_word) {
        let better = snake_case(words);
        let hint = if better.split('.').all(is_word) {
            format!("; write `{}{better}`", name.strip_suffix(words).unwrap_or_default())
        } else {
            String::new()
        };
        return Err(format!(
            "{what} {} is not made of words of `a` to `z`, `0` to `9` and `_` that start with a \
             letter and are separated by dots{hint}",
            quoted(name),
        ));
    }
    if name.len() > LONGEST {
        let length = name.len();
        return Err(format!(
            "{what} {} is {length} characters long; at most {LONGEST}",
            quoted(name)
        ));
    }
    let identifier = identifier(words);
    if TAKEN.contains(&identifier.as_str()) {
        return Err(format!(
            "{what} `{name}` becomes the identifier `{identifier}`, which Rust or the generated \
             enum already uses; choose another name",
        ));
    }
    Ok(identifier)
}

/// Identifiers that no variant can have: the one key word that starts with a capital letter, and the
/// constants of the generated enums.
const TAKEN: [&str; 4] = ["Self", "ALL", "DEFINITIONS", "GATEWAY_ONLY"];

fn is_word(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.chars().all(|char| matches!(char, 'a'..='z' | '0'..='9' | '_'))
}

fn identifier(words: &str) -> String {
    words.split(['.', '_']).flat_map(capitalised).collect()
}

fn capitalised(word: &str) -> impl Iterator<Item = char> + '_ {
    let mut rest = word.chars();
    let first = rest.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(rest)
}

/// What the writer of `PublicAuth`, `public-auth` or `Public auth` had in mind.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut after_lower = false;
    for char in name.chars() {
        if char.is_ascii_uppercase() && after_lower {
            snake.push('_');
        }
        after_lower = char.is_ascii_lowercase() || char.is_ascii_digit();
        snake.push(if matches!(char, '-' | ' ') { '_' } else { char.to_ascii_lowercase() });
    }
    snake
}
