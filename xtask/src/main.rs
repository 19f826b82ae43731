//! Everything that CI does, as one command each.

fn main() {}
