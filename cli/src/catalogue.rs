//! Reads the catalogue in a folder, in its owner's words.

use std::fs::{self, File};
use std::io;

use clap::Args;
use tollgate_codegen::{Catalogue, Column, Problem, Spec};

use crate::answer::Trouble;
use crate::excerpt;

/// The words in which a catalogue is written, as a build script says them to `Spec`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Words of the catalogue")]
pub(crate) struct Names {
    /// The file with the table of classes, in the folder
    #[arg(long, value_name = "FILE", default_value = "05-actions.md")]
    chapter: String,
    /// The file with the list of actions, in the folder
    #[arg(long, value_name = "FILE", default_value = "actions.yaml")]
    actions: String,
    /// The heading that the table stands under
    #[arg(long, default_value = "Rate-limit classes")]
    heading: String,
    /// What every class name starts with; may be empty
    #[arg(long, value_name = "PREFIX", default_value = "rl.")]
    class_prefix: String,
    /// The name of a column, as in `per-minute=Rate`, once for each that has another name; the columns
    /// are class, key, per-minute, burst, surface, reserved and used-for
    #[arg(long, value_name = "COLUMN=NAME", value_parser = column)]
    column: Vec<(Column, String)>,
}

fn column(text: &str) -> Result<(Column, String), String> {
    const COLUMNS: [(&str, Column); 7] = [
        ("class", Column::Class),
        ("key", Column::Key),
        ("per-minute", Column::PerMinute),
        ("burst", Column::Burst),
        ("surface", Column::Surface),
        ("reserved", Column::Reserved),
        ("used-for", Column::UsedFor),
    ];
    let Some((word, name)) = text.split_once('=') else {
        return Err("write a column, `=` and its name, as in `per-minute=Rate`".to_owned());
    };
    let column = COLUMNS.iter().find(|(known, _)| *known == word);
    column.map(|(_, column)| (*column, name.to_owned())).ok_or_else(|| {
        let known = COLUMNS.map(|(known, _)| known).join(", ");
        format!("no column is called `{word}`; the columns are {known}")
    })
}

/// What is wrong with a catalogue that could be read.
#[derive(Debug)]
pub(crate) struct Broken(pub(crate) Vec<Problem>);

impl Broken {
    /// For commands that need a sound catalogue.
    pub(crate) fn into_trouble(self) -> Trouble {
        Trouble(excerpt::of(&self.0))
    }
}

impl Names {
    /// The two files, as problems name them.
    pub(crate) fn files(&self, folder: &str) -> [String; 2] {
        [&self.chapter, &self.actions].map(|file| match folder.trim_end_matches('/') {
            "." => file.clone(),
            folder => format!("{folder}/{file}"),
        })
    }

    /// Reads and checks the catalogue; what keeps it from being read at all is trouble.
    pub(crate) fn read(&self, folder: &str) -> Result<Result<Catalogue, Broken>, Trouble> {
        let [chapter, actions] = self.files(folder);
        refuse_unreadable(folder, [(&chapter, "--chapter"), (&actions, "--actions")])?;
        let mut spec = Spec::new()
            .chapter(chapter)
            .actions(actions)
            .heading(&self.heading)
            .class_prefix(&self.class_prefix);
        for (column, name) in &self.column {
            spec = spec.column(*column, name);
        }
        // The paths are those of the command line, which start where the command runs.
        Ok(spec.read("").map_err(Broken))
    }

    /// Reads a catalogue in which nothing is wrong.
    pub(crate) fn read_sound(&self, folder: &str) -> Result<Catalogue, Trouble> {
        self.read(folder)?.map_err(Broken::into_trouble)
    }
}

/// Says which of the two files cannot be opened, and what the folder has instead.
fn refuse_unreadable(folder: &str, files: [(&str, &str); 2]) -> Result<(), Trouble> {
    let mut lines = Vec::new();
    let mut options = Vec::new();
    for (file, option) in files {
        if let Err(error) = open(file) {
            lines.push(format!("error: {file} cannot be read: {error}"));
            options.push(option);
        }
    }
    if options.is_empty() {
        return Ok(());
    }
    lines.push(match files_of(folder) {
        Ok(known) if known.is_empty() => format!("the folder {folder} has no files"),
        Ok(known) => format!(
            "the folder {folder} has the files {}; name the right one with {}",
            known.join(", "),
            options.join(" and "),
        ),
        Err(error) => format!("the folder {folder} cannot be read: {error}"),
    });
    Err(Trouble(lines.join("\n")))
}

fn open(file: &str) -> io::Result<()> {
    // A folder can be opened like a file, and fails only when it is read.
    if File::open(file)?.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(())
}

/// The names of the files in a folder, in alphabetical order.
fn files_of(folder: &str) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
