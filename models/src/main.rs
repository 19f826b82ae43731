//! Models of the table of buckets, run through every order of its steps.
//!
//! What is checked is the library's own code, included by its path; only its atomics and locks are loom's.

#![expect(dead_code, unused_imports, reason = "the models use a part of what they include")]

#[path = "../../src/bucket/mod.rs"]
mod bucket;
#[path = "../../src/clock.rs"]
mod clock;
#[path = "../../src/limits.rs"]
mod limits;
#[path = "../../src/sync.rs"]
mod sync;

mod config {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub(crate) enum Saturation {
        Closed,
        #[default]
        Evict,
        Open,
    }
}

mod laws;
mod store;
mod world;

fn main() {
    let chosen = std::env::args().nth(1).unwrap_or_default();
    for (name, law) in laws::ALL {
        if name.contains(&chosen) {
            let (orders, took) = world::explore(*law);
            println!("{name}: held in {orders} orders, {took:?}");
        }
    }
}
