//! Text of the spec, written into Markdown that somebody else renders.

/// The text with a backslash before everything that Markdown or rustdoc could take for markup, and
/// without characters that no comment may contain.
pub(crate) fn escape(text: &str) -> String {
    let mut markdown = String::new();
    let mut rest = text.chars().filter(|char| is_visible(*char)).peekable();
    while let Some(char) = rest.next() {
        let is_markup = match char {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '~' | '|' | '&' | '$' => true,
            ':' => rest.peek() == Some(&'/'),
            _ => false,
        };
        if is_markup {
            markdown.push('\\');
        }
        markdown.push(char);
    }
    markdown
}

/// Inline code, where that can hold the text.
pub(crate) fn code(text: &str) -> String {
    if text.contains('`') {
        return escape(text);
    }
    let visible: String = text.chars().filter(|char| is_visible(*char)).collect();
    format!("`{visible}`")
}

/// Neither a control character nor one that turns the direction of a text.
fn is_visible(char: char) -> bool {
    !char.is_control()
        && !matches!(char, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Markdown for the cell of a table.
pub(crate) fn in_cell(markdown: &str) -> String {
    let mut cell = String::new();
    let mut last = ' ';
    for char in markdown.chars() {
        if char == '|' && last != '\\' {
            cell.push('\\');
        }
        cell.push(char);
        last = char;
    }
    cell
}
