//! [`Spec`]: where a catalogue is written, and in which words.

use std::path::Path;

use crate::catalogue::Catalogue;
use crate::check;
use crate::problem::{Position, Problem};
use crate::source::decode;

/// Where a catalogue is written, and in which words.
///
/// The default is a chapter `spec/05-actions.md` with the table of classes under the heading
/// "Rate-limit classes", class names that start with `rl.`, and the list of actions in
/// `spec/actions.yaml`.
///
/// # Examples
///
/// ```
/// use tollgate_codegen::{Column, Spec};
///
/// let spec = Spec::new()
///     .chapter("doc/limits.md")
///     .heading("Limits")
///     .column(Column::Class, "Name")
///     .class_prefix("");
/// let chapter = "\
/// ## Limits
/// | Name | Key | Per minute | Burst | Surface | Reserved | Used for |
/// |---|---|---|---|---|---|---|
/// | read | tenant | 600 | 120 | rest | | reading |
/// ";
/// let actions = "
/// - id: user.read
///   class: read
///   surface: rest
///   operation: GET /users/{user_id}
/// ";
/// let catalogue = spec.check(chapter, actions).unwrap();
/// assert_eq!(catalogue.classes()[0].variant, "Read");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Spec {
    chapter: String,
    actions: String,
    heading: String,
    prefix: String,
    /// The name of each column, in the order of [`Column::ALL`].
    columns: [String; 7],
}

/// A column of the table of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Column {
    /// The name of the class.
    Class,
    /// What a bucket is keyed by.
    Key,
    /// The tokens that a bucket gains in a minute.
    PerMinute,
    /// The tokens that a bucket holds.
    Burst,
    /// Where actions of the class may enter.
    Surface,
    /// Whether the class may stand unused.
    Reserved,
    /// What the class is used for.
    UsedFor,
}

impl Column {
    /// Every column, in the order of the reference catalogue.
    pub const ALL: [Self; 7] = [
        Self::Class,
        Self::Key,
        Self::PerMinute,
        Self::Burst,
        Self::Surface,
        Self::Reserved,
        Self::UsedFor,
    ];
}

impl Default for Spec {
    fn default() -> Self {
        Self::new()
    }
}

impl Spec {
    /// The default names.
    pub fn new() -> Self {
        Self {
            chapter: "spec/05-actions.md".to_owned(),
            actions: "spec/actions.yaml".to_owned(),
            heading: "Rate-limit classes".to_owned(),
            prefix: "rl.".to_owned(),
            columns: ["Class", "Key", "Per minute", "Burst", "Surface", "Reserved", "Used for"]
                .map(str::to_owned),
        }
    }

    /// The Markdown file with the table of classes, from the folder of the package.
    pub fn chapter(mut self, path: impl Into<String>) -> Self {
        self.chapter = path.into();
        self
    }

    /// The YAML file with the list of actions, from the folder of the package.
    pub fn actions(mut self, path: impl Into<String>) -> Self {
        self.actions = path.into();
        self
    }

    /// The heading that the table of classes stands under; its case and section number do not count.
    pub fn heading(mut self, heading: impl Into<String>) -> Self {
        self.heading = heading.into();
        self
    }

    /// What every class name starts with, and what its variant leaves out; may be empty.
    pub fn class_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// The name of a column; its case does not count.
    pub fn column(mut self, column: Column, name: impl Into<String>) -> Self {
        if let Some(known) = self.columns.get_mut(column as usize) {
            *known = name.into();
        }
        self
    }

    /// Checks a chapter and a list of actions.
    ///
    /// # Errors
    ///
    /// Every problem of both files, sorted by file and position. A list that is not YAML gives its
    /// first syntax error, and the chapter is still checked.
    pub fn check(&self, chapter: &str, actions: &str) -> Result<Catalogue, Vec<Problem>> {
        check::check(self, chapter, actions)
    }

    /// Reads the two files below the folder of a package, and checks them.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check), and when a file cannot be read or is not UTF-8.
    pub fn read(&self, package: impl AsRef<Path>) -> Result<Catalogue, Vec<Problem>> {
        let texts = self.files().map(|file| text_of(package.as_ref(), file));
        match texts {
            [Ok(chapter), Ok(actions)] => self.check(&chapter, &actions),
            [Err(problem), Ok(actions)] => Err(check::actions_alone(self, &actions, problem)),
            [Ok(chapter), Err(problem)] => Err(check::chapter_alone(self, &chapter, problem)),
            [Err(chapter), Err(actions)] => Err(vec![chapter, actions]),
        }
    }

    /// The chapter and the list of actions, as problems name them.
    pub(crate) fn files(&self) -> [&str; 2] {
        [&self.chapter, &self.actions]
    }

    pub(crate) fn heading_text(&self) -> &str {
        &self.heading
    }

    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    pub(crate) fn column_name(&self, column: Column) -> &str {
        self.columns.get(column as usize).map_or("", String::as_str)
    }
}

fn text_of(package: &Path, file: &str) -> Result<String, Problem> {
    let at = Position { line: 1, column: 1 };
    let bytes = std::fs::read(package.join(file)).map_err(|error| Problem {
        file: file.to_owned(),
        at,
        message: format!("cannot be read: {error}; write it, or name another file with `Spec`"),
        end: at,
    })?;
    decode(file, bytes)
}
