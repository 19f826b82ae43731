//! Measures the library beside its peers and against the limit of what such a thing can be.
//!
//! `bench/README.md` says what each line means.

mod contenders;
mod decisions;
mod keys;
mod measure;
mod memory;
mod overhead;
mod race;
mod ratios;

use std::env;
use std::process::ExitCode;

use ratios::Ratios;

const USAGE: &str = "\
usage: tollgate-bench [--quick] [--strict]

  --quick   only decisions, bytes and requests, in fewer rounds
  --strict  fail when a goal is missed";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == memory::HOLD) {
        return memory::hold(&arguments[1..]);
    }
    let (mut quick, mut strict) = (false, false);
    for argument in &arguments {
        match argument.as_str() {
            "--quick" => quick = true,
            "--strict" => strict = true,
            _ => {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    let mut ratios = Ratios::default();
    let rounds = if quick { 15 } else { 31 };
    measure::decisions(quick, rounds, &mut ratios);
    measure::memory(&mut ratios);
    measure::requests(rounds, &mut ratios);
    if ratios.report() || !strict { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
