//! The command line of tollgate, for the people who own a catalogue of rate limits.

mod answer;
mod arguments;
mod catalogue;
mod change;
mod check;
mod diff;
mod docs;
mod excerpt;
mod explain;
mod words;

use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    arguments.color.choose();
    let answer = match &arguments.command {
        Command::Check(command) => check::run(command),
        Command::Diff(command) => diff::run(command),
        Command::Docs(command) => docs::run(command),
        Command::Explain(command) => explain::run(command),
    };
    answer::give(answer)
}
