//! The long random run of the tests, for longer.

use crate::ready;

#[path = "../../tests/engine/oracle.rs"]
mod exact;

const STEPS: u64 = 10_000_000;

pub fn run() -> String {
    // The test's own run, and others.
    for seed in [exact::SEED, 1, 0x9E37_79B9_7F4A_7C15, u64::MAX] {
        exact::agrees(seed, STEPS / 4);
    }
    format!("{STEPS} steps in which every number was that of exact arithmetic")
}
