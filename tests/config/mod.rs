//! Configuration: every fault by its own text, who wins, and laws over all input.

mod faults;
mod guide;
mod laws;
mod logs;
mod policies;
mod precedence;

use tollgate::config::{Faults, Settings};
use tollgate::{Class, Config};

/// The settings that a TOML file holds.
fn toml(text: &str) -> Settings {
    toml::from_str(text).expect("the test's file is TOML")
}

/// What a program makes of a TOML file.
fn from_toml(text: &str) -> Result<Config<Class>, Faults> {
    Config::builder().file(toml(text)).build()
}

/// What is wrong with a TOML file, one text for each fault.
fn faults_of(text: &str) -> Vec<String> {
    texts(from_toml(text))
}

/// What a program makes of an environment.
fn from_environment(variables: &[(&str, &str)]) -> Result<Config<Class>, Faults> {
    Config::builder().environment(variables.iter().copied()).build()
}

fn texts(result: Result<Config<Class>, Faults>) -> Vec<String> {
    match result {
        Ok(_) => Vec::new(),
        Err(faults) => faults.iter().map(ToString::to_string).collect(),
    }
}
