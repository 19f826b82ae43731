//! The arguments of every command.

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::catalogue::Names;

/// Checks, documents, explains and compares catalogues of rate-limit classes.
#[derive(Debug, Parser)]
#[command(name = "tollgate", version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colours; `auto` uses them on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: Color,
}

const EXIT_CODES: &str = "\
Exit codes: 0 when all is well, 1 when the command found what it looks for (problems, a stale page,
changes), and 2 when it could not do its work.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Says everything that is wrong with a catalogue
    Check(Check),
    /// Says what changed from one catalogue to another, and which limits got tighter or looser
    Diff(Diff),
    /// Writes the configuration reference of a catalogue, as Markdown
    Docs(Docs),
    /// Says in plain words what a class or an action is limited to, and how to configure it
    Explain(Explain),
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// The folder of the catalogue
    #[arg(default_value = "spec", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) folder: String,
    /// `github` are the annotations of GitHub's workflows
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: CheckFormat,
    #[command(flatten)]
    pub(crate) names: Names,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum CheckFormat {
    #[default]
    Text,
    Json,
    Github,
}

#[derive(Args, Debug)]
pub(crate) struct Diff {
    /// The folder of the catalogue as it was
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub(crate) old: String,
    /// The folder of the catalogue as it is
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub(crate) new: String,
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DiffFormat,
    /// Exit with 1 when anything changed
    #[arg(long)]
    pub(crate) exit_code: bool,
    #[command(flatten)]
    pub(crate) names: Names,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum DiffFormat {
    #[default]
    Text,
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct Docs {
    /// The folder of the catalogue
    #[arg(default_value = "spec", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) folder: String,
    /// The file to write, instead of the standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// Write nothing, and exit with 1 unless the file says just this already
    #[arg(long, requires = "output")]
    pub(crate) check: bool,
    /// The command that the page names as the one that writes it anew [default: this one]
    #[arg(long, value_name = "COMMAND")]
    pub(crate) refresh: Option<String>,
    #[command(flatten)]
    pub(crate) names: Names,
}

#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// A class or an action, as in `rl.read` or `message.send`
    pub(crate) name: String,
    /// The folder of the catalogue
    #[arg(long, value_name = "FOLDER", default_value = "spec", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) spec: String,
    #[command(flatten)]
    pub(crate) names: Names,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    pub(crate) fn choose(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_arguments_contradict_each_other_nowhere() {
        Arguments::command().debug_assert();
    }
}
