//! Turns a catalogue of rate-limit classes into Rust.
