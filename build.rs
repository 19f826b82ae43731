//! Generates the catalogue.

fn main() {}
