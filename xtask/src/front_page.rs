//! The first page of the documentation leads to what everybody needs.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::metadata;
use crate::suite::Failure;

/// What is one click away from the crate's own text.
const LINKS: [(&str, &str); 4] = [
    ("the classes", "enum.Class.html"),
    ("the attribute", "attr.rate_limited.html"),
    ("the gate", "http/struct.Gate.html"),
    ("the guide", "guide/index.html"),
];

/// Looks through the page that `cargo doc --all-features` has written.
pub(crate) fn check() -> Result<(), Failure> {
    let metadata = metadata::read()?;
    let target = metadata.get("target_directory").and_then(Value::as_str).unwrap_or("target");
    let folder = Path::new(target).join("doc/tollgate");
    let page = folder.join("index.html");
    let html = fs::read_to_string(&page)
        .map_err(|error| Failure(format!("{} cannot be read: {error}", page.display())))?;
    let mut faults = Vec::new();
    for (what, link) in LINKS {
        if !has_link(&html, link) {
            faults.push(format!("the text of the first page has no link to {what}, {link}"));
        }
        if !folder.join(link).is_file() {
            faults.push(format!("the documentation has no page of {what}, {link}"));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Failure(faults.join("\n"))) }
}

/// Whether the crate's own text has the link; the lists of items that follow it have every link.
fn has_link(html: &str, link: &str) -> bool {
    let text = html.split(r#"<h2 id="reexports""#).next().unwrap_or(html);
    let text = text.split(r#"<h2 id="modules""#).next().unwrap_or(text);
    text.contains(&format!("href=\"{link}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_before_the_lists_of_items_count() {
        let html = r#"<p><a href="enum.Class.html">Class</a></p><h2 id="modules"></h2>
            <a href="guide/index.html">guide</a>"#;
        assert!(has_link(html, "enum.Class.html"));
        assert!(!has_link(html, "guide/index.html"));
    }
}
