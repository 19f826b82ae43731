//! Measures the library beside its peers and against the limit of what such a thing can be.
//!
//! `bench/README.md` says what each line means.

mod builds;
mod contenders;
mod decisions;
mod growth;
mod keys;
mod measure;
mod memory;
mod overhead;
mod pictures;
mod plot;
mod race;
mod ratios;

use std::env;
use std::path::Path;
use std::process::ExitCode;

use ratios::Ratios;

const USAGE: &str = "\
usage: tollgate-bench [--quick] [--strict] [--only PART] [--plots FOLDER]

  --quick         requests, decisions and memory alone, and fewer of them
  --strict        fail when a goal is missed
  --only PART     one of requests, decisions, memory, growth, builds
  --plots FOLDER  measure what the pictures show, draw them, and nothing else";

/// Requests come first, because they allocate, and what ran before would have left its traces in the heap.
const PARTS: [&str; 5] = ["requests", "decisions", "memory", "growth", "builds"];

/// What the command line asks for.
#[derive(Default)]
struct Wanted {
    quick: bool,
    strict: bool,
    only: Option<String>,
    plots: Option<String>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == memory::HOLD) {
        return memory::hold(&arguments[1..]);
    }
    let Some(wanted) = Wanted::read(arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let rounds = if wanted.quick { 15 } else { 31 };
    if let Some(folder) = &wanted.plots {
        return match pictures::draw(Path::new(folder), rounds) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{folder} cannot be written: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let mut ratios = Ratios::default();
    for part in PARTS.into_iter().filter(|part| wanted.has(part)) {
        match part {
            "decisions" => measure::decisions(wanted.quick, rounds, &mut ratios),
            "memory" => measure::memory(&mut ratios),
            "requests" => measure::requests(rounds, &mut ratios),
            "growth" => measure::growth(),
            _ => measure::builds(&mut ratios),
        }
    }
    if ratios.report() || !wanted.strict { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Wanted {
    /// Nothing when the command line says something else than the usage.
    fn read(arguments: Vec<String>) -> Option<Self> {
        let mut wanted = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => wanted.quick = true,
                "--strict" => wanted.strict = true,
                "--only" => {
                    wanted.only = Some(arguments.next().filter(|p| PARTS.contains(&p.as_str()))?);
                }
                "--plots" => wanted.plots = Some(arguments.next()?),
                _ => return None,
            }
        }
        Some(wanted)
    }

    fn has(&self, part: &str) -> bool {
        match &self.only {
            Some(only) => only == part,
            None => !(self.quick && ["growth", "builds"].contains(&part)),
        }
    }
}
