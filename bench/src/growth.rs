//! What new keys cost while a store grows, and the longest that one of them waits.

use std::net::IpAddr;
use std::ops::Range;
use std::time::{Duration, Instant};

use crate::contenders::{Contender, Gcra, Governor, PLENTY, Tollgate};
use crate::keys::Key;

/// Those that grow.
pub(crate) const STORES: [&str; 3] = ["tollgate", "governor std", "axum_gcra"];

/// The numbers of keys that are measured, one after the other.
pub(crate) const DECADES: [Range<u32>; 4] =
    [0..10_000, 10_000..100_000, 100_000..1_000_000, 1_000_000..10_000_000];

/// What the new keys of one decade cost.
#[derive(Clone, Copy)]
pub(crate) struct Grown {
    pub(crate) nanos_each: f64,
    pub(crate) longest: Duration,
}

/// Each store by decades.
pub(crate) fn grow() -> [[Grown; DECADES.len()]; STORES.len()] {
    let most = DECADES[DECADES.len() - 1].end as usize;
    // One after the other, so that never all of them are in memory.
    [
        grown(&Tollgate::standard(most, PLENTY)),
        grown(&Governor::<IpAddr, _, _>::standard(PLENTY)),
        grown(&Gcra::<IpAddr>::new(PLENTY)),
    ]
}

fn grown(store: &impl Contender<IpAddr>) -> [Grown; DECADES.len()] {
    DECADES.map(|decade| {
        let count = f64::from(decade.end - decade.start);
        let started = Instant::now();
        let mut last = started;
        let mut longest = Duration::ZERO;
        for number in decade {
            assert!(store.admits(&IpAddr::numbered(number)), "a new key is admitted");
            let now = Instant::now();
            longest = longest.max(now - last);
            last = now;
        }
        Grown { nanos_each: (last - started).as_nanos() as f64 / count, longest }
    })
}
