//! What a command answers, and how it is written.

use std::io::{self, Write};
use std::process::ExitCode;

/// The result of a command that could do what it was asked to.
#[derive(Debug)]
pub(crate) struct Answer {
    /// What goes to the standard output.
    pub(crate) text: String,
    /// Whether the command found what a build should stop for.
    pub(crate) is_bad: bool,
}

/// Why a command could not do what it was asked to; the text is for the terminal.
#[derive(Debug)]
pub(crate) struct Trouble(pub(crate) String);

const BAD: u8 = 1;
const TROUBLE: u8 = 2;

/// Writes the answer and gives the exit code.
///
/// The whole answer is known before any of it is written, so a reader that stops reading, as `head`
/// does, changes nothing about the exit code.
pub(crate) fn give(answer: Result<Answer, Trouble>) -> ExitCode {
    match answer.and_then(|answer| write(&answer.text).map(|()| answer.is_bad)) {
        Ok(false) => ExitCode::SUCCESS,
        Ok(true) => ExitCode::from(BAD),
        Err(Trouble(text)) => {
            // Where the errors cannot be written there is nobody left to tell.
            let _ = writeln!(anstream::stderr(), "{}", text.trim_end());
            ExitCode::from(TROUBLE)
        }
    }
}

fn write(text: &str) -> Result<(), Trouble> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Trouble(format!("error: cannot write to the standard output: {error}")))
        }
        _ => Ok(()),
    }
}
