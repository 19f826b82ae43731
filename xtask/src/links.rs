//! Links of Markdown files to other files of this repository.

use std::path::Path;

use crate::suite::Failure;
use crate::text::{self, Tracked};

/// Looks through every Markdown file that git tracks.
pub(crate) fn check() -> Result<(), Failure> {
    let mut faults = Vec::new();
    for Tracked { name, text } in text::tracked()?.iter().filter(|file| is_markdown(&file.name)) {
        let folder = Path::new(name).parent().unwrap_or(Path::new(""));
        for (line, target) in targets(text) {
            if !folder.join(target).exists() {
                faults.push(format!("{name}:{line}: a link to {target}, which is not there"));
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Failure(faults.join("\n"))) }
}

fn is_markdown(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "md")
}

/// The files that a text links to, each with its line. Blocks of code have no links.
fn targets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    let lines = text.lines().zip(1..).filter(move |(line, _)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    lines.flat_map(|(line, number)| {
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        let files = targets.filter(|target| !target.is_empty() && !target.contains(':'));
        files.map(move |target| (number, target))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_are_found_and_those_to_the_web_to_headings_and_in_code_are_not() {
        let text = "[a](b.md) and [c](docs/d.md#part)\n[web](https://example.org)\n[here](#part)\n\
                    ```text\n[no](e.md)\n```\n[last](f.md)\n";
        let found: Vec<(usize, &str)> = targets(text).collect();
        assert_eq!(found, [(1, "b.md"), (1, "docs/d.md"), (7, "f.md")]);
    }
}
