//! What has to hold in every order of the steps.

use loom::thread::JoinHandle;

use crate::clock::Clock;
use crate::world::World;

pub(crate) const ALL: &[(&str, fn())] = &[
    ("two hits on one bucket lose no update", two_hits),
    ("three requests for a new key enter it once", three_inserts),
    ("an evicted bucket is never charged for the new key", hit_and_eviction),
    ("two new keys do not share the last slot", two_keys_one_slot),
    ("a sweep beside two requests gives nobody a token", sweep_and_requests),
    ("a clock read before a sweep refills nothing twice", stale_clock),
    ("a request beside a smaller limit keeps what is spent", hit_and_reload),
    ("a new key beside another limit is counted under it", insert_and_reload),
    ("a refund beside a hit is neither lost nor doubled", refund_and_hit),
];

fn admitted<const N: usize>(threads: [JoinHandle<bool>; N]) -> usize {
    threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|admitted| *admitted).count()
}

fn two_hits() {
    let world = World::new(1, 3);
    assert!(world.acquire(1));
    let threads = [world.spawn(|world| world.acquire(1)), world.spawn(|world| world.acquire(1))];
    assert_eq!(admitted(threads), 2);
    assert_eq!(world.left(1), 0);
}

fn three_inserts() {
    let world = World::new(2, 1);
    let threads = [world.spawn(|world| world.acquire(1)), world.spawn(|world| world.acquire(1))];
    let mine = world.acquire(1);
    assert_eq!(admitted(threads) + usize::from(mine), 1);
    assert_eq!((world.left(1), world.tracked()), (0, 1));
}

fn hit_and_eviction() {
    let world = World::new(1, 4);
    assert!(world.acquire(1));
    let hit = world.spawn(|world| world.acquire(1));
    let new = world.spawn(|world| world.acquire(2));
    assert_eq!(admitted([hit, new]), 2);
    // One of the two has the slot, and its bucket was charged for its own requests alone.
    match (world.left(1), world.left(2)) {
        (4, left) => assert_eq!(left, 3),
        // Its own slot again: after the eviction once, else it would hold both.
        (left, 4) => assert_eq!(left, 3),
        both => panic!("two buckets in one slot: {both:?}"),
    }
}

fn two_keys_one_slot() {
    let world = World::new(1, 2);
    let threads = [world.spawn(|world| world.acquire(1)), world.spawn(|world| world.acquire(2))];
    assert_eq!(admitted(threads), 2);
    assert_eq!(world.tracked(), 1);
    assert_eq!(world.left(1) + world.left(2), 3);
}

fn sweep_and_requests() {
    let world = World::new(1, 1);
    assert!(world.acquire(1));
    world.clock.advance(std::time::Duration::from_millis(1));
    // The bucket is full again, and so may be erased; one token is there all the same.
    let sweep = world.spawn(|world| {
        world.sweep();
        false
    });
    let request = world.spawn(|world| world.acquire(1));
    let mine = world.acquire(1);
    assert_eq!(admitted([sweep, request]) + usize::from(mine), 1);
}

fn stale_clock() {
    let world = World::new(1, 1);
    assert!(world.acquire(1));
    world.clock.advance(std::time::Duration::from_micros(500));
    // Whoever read 500 us and is then held up must not be admitted later as if it were still that time.
    let time = world.spawn(|world| {
        world.clock.advance(std::time::Duration::from_micros(500));
        world.sweep();
        false
    });
    let request = world.spawn(|world| world.acquire(1));
    let admitted = admitted([time, request]);
    // One token has come by now. If it was taken, the next is there a millisecond after that, and not before.
    if admitted == 1 {
        assert_eq!(world.left(1), 0);
        world.clock.advance(std::time::Duration::from_micros(999));
        assert_eq!(world.left(1), 0, "at {}", world.clock.now());
    }
}

fn hit_and_reload() {
    let world = World::new(1, 3);
    assert!(world.acquire(1) && world.acquire(1));
    let hit = world.spawn(|world| world.acquire(1));
    let reload = world.spawn(|world| {
        world.reload(2);
        false
    });
    // Two of two are spent whether the request came before or after.
    let _ = admitted([hit, reload]);
    assert_eq!(world.left(1), 0);
    assert!(!world.acquire(1));
}

fn insert_and_reload() {
    let world = World::new(1, 3);
    let insert = world.spawn(|world| world.acquire(1));
    let reload = world.spawn(|world| {
        world.reload(2);
        false
    });
    assert_eq!(admitted([insert, reload]), 1);
    assert_eq!(world.left(1), 1);
    // Nothing is left of the limits before, so the next ones may come.
    world.reload(5);
    assert_eq!(world.left(1), 4);
}

fn refund_and_hit() {
    let world = World::new(1, 3);
    assert!(world.acquire(1) && world.acquire(1));
    let refund = world.spawn(|world| {
        world.refund(1);
        false
    });
    let hit = world.spawn(|world| world.acquire(1));
    assert_eq!(admitted([refund, hit]), 1);
    assert_eq!(world.left(1), 1);
}
