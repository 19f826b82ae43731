//! Turns a catalogue of rate-limit classes into Rust.

mod actions;
mod catalogue;
mod chapter;
mod check;
mod classes;
mod configuration;
mod key_kind;
mod keys;
mod markdown;
mod name;
mod number;
mod operation;
mod problem;
mod rust;
mod script;
mod source;
mod spec;
mod words;
mod yaml;

pub use catalogue::{Action, Catalogue, Class, Operation, Surface};
pub use key_kind::KeyKind;
pub use problem::{Position, Problem};
pub use script::build;
pub use spec::{Column, Spec};
