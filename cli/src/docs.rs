//! `tollgate docs`: the configuration reference of a catalogue.

use std::fs;

use crate::answer::{Answer, Trouble};
use crate::arguments::Docs;

pub(crate) fn run(command: &Docs) -> Result<Answer, Trouble> {
    let catalogue = command.names.read_sound(&command.folder)?;
    let refresh = command.refresh.clone().unwrap_or_else(|| this_command(command));
    let page = catalogue.configuration(&refresh);
    let Some(file) = &command.output else {
        return Ok(Answer { text: page, is_bad: false });
    };
    if command.check {
        return compare(file, &page, &refresh);
    }
    fs::write(file, &page)
        .map_err(|error| Trouble(format!("error: {file} cannot be written: {error}")))?;
    Ok(Answer { text: format!("{file} is written\n"), is_bad: false })
}

fn this_command(command: &Docs) -> String {
    let output = command.output.as_ref().map(|file| format!(" --output {file}"));
    format!("tollgate docs {}{}", command.folder, output.unwrap_or_default())
}

/// Whether a file says just what the page does. Line ends do not count, because git may change them.
fn compare(file: &str, page: &str, refresh: &str) -> Result<Answer, Trouble> {
    let committed = fs::read_to_string(file)
        .map_err(|error| Trouble(format!("error: {file} cannot be read: {error}")))?;
    if committed.replace("\r\n", "\n") == page {
        return Ok(Answer { text: format!("{file} is fresh\n"), is_bad: false });
    }
    let lines = committed.lines().zip(page.lines()).take_while(|(old, new)| old == new).count();
    let text = format!(
        "{file} is stale: it differs from line {} on; `{refresh}` writes it anew\n",
        lines + 1
    );
    Ok(Answer { text, is_bad: true })
}
