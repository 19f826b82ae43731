//! Tests of the generator: what it accepts, what it says to everything else, and what it writes.

mod accepted;
mod broken;
mod files;
mod golden;
mod laws;
mod reference;
mod settings;
mod spans;
