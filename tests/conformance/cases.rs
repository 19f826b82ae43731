//! The cases: what is done when, and what it gives.

use super::Act::{self, GiveBack, Look, Reload, Take};
use super::Numbers;

/// A rule, the limits under which it is shown, and what happens.
pub(super) struct Case {
    pub(super) rule: &'static str,
    pub(super) limits: &'static str,
    pub(super) steps: &'static [Step],
}

/// At a time in microseconds something is done, and gives these numbers.
pub(super) struct Step {
    pub(super) at: u64,
    pub(super) act: Act,
    pub(super) gives: Numbers,
}

const SECOND: u64 = 1_000_000;
const YEAR: u64 = 365 * 86_400 * SECOND;

/// The tokens are there: how many are left, and the times until it is full and has one more.
const fn yes(at: u64, act: Act, left: u64, full_after: u64, next_after: u64) -> Step {
    let gives = Numbers { permitted: true, left, retry_after: None, full_after, next_after };
    Step { at, act, gives }
}

/// They are not, and will be after `retry_after`.
const fn no(at: u64, act: Act, left: u64, retry_after: u64, full_after: u64, next: u64) -> Step {
    let retry_after = Some(retry_after);
    let gives = Numbers { permitted: false, left, retry_after, full_after, next_after: next };
    Step { at, act, gives }
}

/// Only its effect on what follows is looked at.
const fn reload(at: u64, limits: &'static str) -> Step {
    yes(at, Reload(limits), 0, 0, 0)
}

pub(super) const CASES: &[Case] = &[
    Case {
        rule: "a new bucket is full, and a refused request takes nothing",
        limits: "tokens = 60\nperiod = \"60s\"\ncapacity = 2",
        steps: &[
            yes(0, Look(2), 2, 0, 0),
            yes(0, Take(1), 1, SECOND, SECOND),
            no(0, Take(2), 1, SECOND, SECOND, SECOND),
            yes(0, Take(1), 0, 2 * SECOND, SECOND),
            no(0, Take(1), 0, SECOND, 2 * SECOND, SECOND),
            no(0, Take(2), 0, 2 * SECOND, 2 * SECOND, SECOND),
        ],
    },
    Case {
        // A token is 60,000,000 / 7 = 8,571,428.57 microseconds.
        rule: "waiting as told is enough and a microsecond less is not, where a token is no whole number of them",
        limits: "tokens = 7\nperiod = \"60s\"\ncapacity = 10",
        steps: &[
            yes(0, Take(1), 9, 8_571_429, 8_571_429),
            // Ten tokens are 85,714,285.71.
            yes(0, Take(9), 0, 85_714_286, 8_571_429),
            no(0, Take(1), 0, 8_571_429, 85_714_286, 8_571_429),
            // 4 sevenths of a microsecond are missing.
            no(8_571_428, Take(1), 0, 1, 77_142_858, 1),
            // 3 sevenths are left over.
            yes(8_571_429, Take(1), 0, 85_714_286, 8_571_429),
            // Three tokens less those 3 sevenths are 25,714,285.29 microseconds away.
            no(34_285_714, Take(3), 2, 1, 60_000_001, 1),
            // 5 sevenths are left over; what is spent is exactly 85,714,285 microseconds of refill.
            yes(34_285_715, Take(3), 0, 85_714_285, 8_571_428),
        ],
    },
    Case {
        rule: "under interval refill tokens come when a period of the clock ends",
        limits: "tokens = 2\nperiod = \"1s\"\ncapacity = 5\nrefill = \"interval\"",
        steps: &[
            yes(300_000, Take(5), 0, 2_700_000, 700_000),
            no(300_000, Take(1), 0, 700_000, 2_700_000, 700_000),
            no(999_999, Take(3), 0, 1_000_001, 2_000_001, 1),
            yes(1_000_000, Take(1), 1, 2_000_000, 1_000_000),
            no(1_000_000, Take(3), 1, 1_000_000, 2_000_000, 1_000_000),
            yes(5_999_999, Look(5), 5, 0, 0),
        ],
    },
    Case {
        // 125 tokens in 3,942 microseconds.
        rule: "the largest capacity over the longest period loses nothing",
        limits: "tokens = 1_000_000_000_000\nperiod = \"365d\"\ncapacity = 1_000_000_000_000",
        steps: &[
            yes(0, Take(1_000_000_000_000), 0, YEAR, 32),
            no(0, Take(1), 0, 32, YEAR, 32),
            no(31, Take(1), 0, 1, YEAR - 31, 1),
            yes(32, Take(1), 0, YEAR, 32),
            yes(YEAR / 2 + 32, Look(499_999_999_999), 500_000_000_000, YEAR / 2, 32),
            yes(YEAR + 32, Take(1), 999_999_999_999, 32, 32),
        ],
    },
    Case {
        rule: "the highest rate counts every microsecond",
        limits: "tokens = 10_000\nperiod = \"1ms\"\ncapacity = 10_000",
        steps: &[
            yes(0, Take(10_000), 0, 1_000, 1),
            yes(1, Take(10), 0, 1_000, 1),
            no(1, Take(1), 0, 1, 1_000, 1),
            no(1, Take(11), 0, 2, 1_000, 1),
            yes(3, Take(11), 9, 1_000, 1),
        ],
    },
    Case {
        rule: "a year of idleness fills a bucket and no more",
        limits: "tokens = 1\nperiod = \"60s\"\ncapacity = 3",
        steps: &[
            yes(0, Take(3), 0, 180 * SECOND, 60 * SECOND),
            yes(YEAR, Take(1), 2, 60 * SECOND, 60 * SECOND),
            yes(YEAR, Take(2), 0, 180 * SECOND, 60 * SECOND),
            no(YEAR, Take(1), 0, 60 * SECOND, 180 * SECOND, 60 * SECOND),
        ],
    },
    Case {
        rule: "a clock that steps back costs a wait, at most the time to fill",
        limits: "tokens = 60\nperiod = \"60s\"\ncapacity = 10",
        steps: &[
            yes(100 * SECOND, Take(4), 6, 4 * SECOND, SECOND),
            // The bucket as it was two seconds before, less one.
            yes(98 * SECOND, Take(1), 3, 7 * SECOND, SECOND),
            no(50 * SECOND, Take(1), 0, SECOND, 10 * SECOND, SECOND),
            yes(51 * SECOND, Take(1), 0, 10 * SECOND, SECOND),
        ],
    },
    Case {
        rule: "what is given back is there again, up to the capacity",
        limits: "tokens = 60\nperiod = \"60s\"\ncapacity = 10",
        steps: &[
            yes(0, Take(7), 3, 7 * SECOND, SECOND),
            yes(0, GiveBack(5), 8, 2 * SECOND, SECOND),
            yes(0, GiveBack(5), 10, 0, 0),
            yes(0, Take(10), 0, 10 * SECOND, SECOND),
        ],
    },
    Case {
        rule: "spent tokens stay spent when limits change, at most the new capacity",
        limits: "tokens = 600\nperiod = \"60s\"\ncapacity = 120",
        steps: &[
            yes(0, Take(120), 0, 12 * SECOND, 100_000),
            reload(0, "tokens = 60\nperiod = \"60s\"\ncapacity = 120"),
            no(0, Take(1), 0, SECOND, 120 * SECOND, SECOND),
            yes(SECOND, Take(1), 0, 120 * SECOND, SECOND),
            reload(SECOND, "tokens = 60\nperiod = \"60s\"\ncapacity = 5"),
            no(SECOND, Take(1), 0, SECOND, 5 * SECOND, SECOND),
            yes(2 * SECOND, Take(1), 0, 5 * SECOND, SECOND),
            reload(2 * SECOND, "tokens = 60\nperiod = \"60s\"\ncapacity = 8"),
            yes(2 * SECOND, Take(3), 0, 8 * SECOND, SECOND),
        ],
    },
];
