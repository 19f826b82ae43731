//! What has to hold in every order of the steps.

use std::time::Duration;

use loom::thread::JoinHandle;

use crate::world::World;

const MILLISECOND: Duration = Duration::from_millis(1);
/// More than a short-lived meter lasts.
const LONG: Duration = Duration::from_secs(11 * 86_400);

pub(crate) const ALL: &[(&str, fn())] = &[
    ("two hits on one bucket lose no update", two_hits),
    ("three requests for a new key enter it once", three_inserts),
    ("an evicted bucket is never charged for the new key", hit_and_eviction),
    ("two new keys do not share the last slot", two_keys_one_slot),
    ("a sweep beside two requests gives nobody a token", sweep_and_requests),
    ("a clock read before a sweep refills nothing twice", stale_clock),
    ("a request beside a smaller limit keeps what is spent", hit_and_reload),
    ("two requests beside another limit are both counted", two_hits_and_reload),
    ("a request beside two other limits is counted under one of the three", hit_and_two_reloads),
    ("a new key beside another limit is counted under it", insert_and_reload),
    ("a refund beside a hit is neither lost nor doubled", refund_and_hit),
    ("two requests that let a meter start again are both counted", two_restarts),
    (
        "a request from before a meter starts again takes what was left then, or one of the new",
        restart_and_stale,
    ),
    ("a new key beside a meter that starts again is counted once", insert_and_restart),
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
    world.clock.advance(MILLISECOND);
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
    // The bucket is new, drained, full again and erased, while another request for it may still hold the time before all that.
    let whole_life = world.spawn(|world| {
        let admitted = world.acquire(1);
        world.clock.advance(MILLISECOND);
        world.sweep();
        admitted
    });
    let request = world.spawn(|world| world.acquire(1));
    let before = admitted([whole_life, request]);
    // One token at the start, and one a millisecond later.
    assert!(before + usize::from(world.acquire(1)) <= 2);
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

fn two_hits_and_reload() {
    let world = World::new(1, 4);
    world.clock.advance(5 * MILLISECOND);
    assert!(world.acquire(1));
    let hit = world.spawn(|world| world.acquire(1));
    let reload = world.spawn(|world| {
        world.reload(3);
        false
    });
    let mine = world.acquire(1);
    assert_eq!(admitted([hit, reload]) + usize::from(mine), 2);
    assert_eq!(world.left(1), 0);
}

fn hit_and_two_reloads() {
    let world = World::new(1, 3);
    world.clock.advance(5 * MILLISECOND);
    assert!(world.acquire(1) && world.acquire(1) && world.acquire(1));
    let hit = world.spawn(|world| world.acquire(1));
    let reloads = world.spawn(|world| {
        world.reload(1);
        world.reload(2);
        world.acquire(1)
    });
    // Three of three are spent, then one of one, then one of two.
    assert_eq!(admitted([hit, reloads]), 1);
    assert_eq!(world.left(1), 0);
}

fn insert_and_reload() {
    let world = World::new(1, 3);
    // So that a word means something else on the meter before.
    world.clock.advance(5 * MILLISECOND);
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

fn two_restarts() {
    let world = World::short_lived(1, 3);
    assert!(world.acquire(1) && world.acquire(1) && world.acquire(1));
    world.clock.advance(LONG);
    let threads = [world.spawn(|world| world.acquire(1)), world.spawn(|world| world.acquire(1))];
    assert_eq!(admitted(threads), 2);
    assert_eq!(world.left(1), 1);
}

fn restart_and_stale() {
    let world = World::short_lived(1, 2);
    assert!(world.acquire(1) && world.acquire(1));
    let before = world.spawn(|world| world.acquire(1));
    let after = world.spawn(|world| {
        world.clock.advance(LONG);
        world.acquire(1)
    });
    let admitted = admitted([before, after]);
    // Refused before, or admitted after, when both tokens are there again.
    assert!(admitted >= 1);
    assert_eq!(usize::try_from(world.left(1)), Ok(2 - admitted));
}

fn insert_and_restart() {
    let world = World::short_lived(2, 2);
    assert!(world.acquire(1) && world.acquire(1));
    // So far back that a bucket which is known has spent all it can.
    world.clock.advance(LONG);
    assert!(world.acquire(1));
    world.clock.set(0);
    let new = world.spawn(|world| world.acquire(2));
    let known = world.spawn(|world| world.acquire(1));
    assert_eq!(admitted([new, known]), 1);
    assert_eq!((world.left(1), world.left(2)), (0, 1));
}
