//! Ten million keys that come once each, in a table of a million slots in which some buckets are exhausted.

use std::fs;
use std::thread;

use tollgate::clock::ManualClock;
use tollgate::{Class, Config, Limiter};

use crate::ready;

const SLOTS: u64 = 1_000_000;
const BURST: u64 = 10;
/// A slot in twenty: that all eight candidate slots of a new key are theirs happens to one key in 25 billion.
const EXHAUSTED: u64 = SLOTS / 20;
const KEYS: u64 = 10_000_000;
/// The keys between two looks at memory and at the exhausted.
const PART: u64 = 1_000_000;
const THREADS: u64 = 2;
const MEBIBYTE: u64 = 1024;

pub fn run() -> String {
    let config = Config::builder()
        .max_tracked_keys(SLOTS)
        .class(Class::Read, |class| class.per_minute(60).burst(BURST))
        .build()
        .expect("limits in range");
    let limiter = Limiter::with_clock(&config, ManualClock::new()).expect("room for the table");
    let read = |kind: &str, key: u64| {
        ready(limiter.acquire(Class::Read, (kind, key))).expect("a cost of one").permitted()
    };
    for key in 0..EXHAUSTED {
        assert!((0..BURST).all(|_| read("exhausted", key)));
    }
    // From here on the table is full and has been read once as a whole.
    flood(&read, 0..SLOTS * 2);
    look(&read);
    let memory = resident();
    let (mut least, mut most) = (memory, memory);
    for part in 0..KEYS / PART {
        let first = SLOTS * 2 + part * PART;
        flood(&read, first..first + PART);
        look(&read);
        assert!(limiter.tracked_keys() <= SLOTS);
        let memory = resident();
        (least, most) = (least.min(memory), most.max(memory));
    }
    assert!(most - least < MEBIBYTE, "memory went from {least} to {most} KiB");
    let looks = EXHAUSTED * (KEYS / PART + 1);
    format!(
        "{} keys in {SLOTS} slots, {} evictions, {least} to {most} KiB resident, {looks} requests for {EXHAUSTED} exhausted keys all refused",
        SLOTS * 2 + KEYS,
        limiter.evictions()
    )
}

/// New keys, by several threads.
fn flood(read: &(impl Fn(&str, u64) -> bool + Sync), keys: std::ops::Range<u64>) {
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let mut keys = keys.clone().filter(move |key| key % THREADS == thread);
            scope.spawn(move || assert!(keys.all(|key| read("new", key)), "a new key is refused"));
        }
    });
}

/// Whether the exhausted keys are exhausted still.
fn look(read: &impl Fn(&str, u64) -> bool) {
    let refreshed = (0..EXHAUSTED).filter(|key| read("exhausted", *key)).count();
    assert_eq!(refreshed, 0, "of {EXHAUSTED} exhausted keys so many were admitted");
}

/// The resident memory of this process, in KiB; pages have four of them.
fn resident() -> u64 {
    let pages = fs::read_to_string("/proc/self/statm").expect("Linux says how much memory it is");
    let pages = pages.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.expect("the second number is that of resident pages") * 4
}
