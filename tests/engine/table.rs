//! Bounded memory: what a full table does.

use std::time::Duration;

use tollgate::{Class, Limiter};

use super::{limiter, read, reads, ready, spend};

fn capped(slots: u64) -> Limiter {
    limiter(|config| config.max_tracked_keys(slots)).0
}

#[test]
fn three_times_as_many_keys_never_exceed_the_cap() {
    for slots in [1, 2, 3, 5, 8, 9, 1_000] {
        let limiter = capped(slots);
        for key in 0..3 * slots {
            assert_eq!(read(&limiter, key).remaining(), Some(119), "{slots} slots, key {key}");
            assert!(limiter.tracked_keys() <= slots, "{slots} slots");
        }
    }
}

#[test]
fn a_small_table_uses_every_slot_before_a_bucket_makes_way() {
    // Up to eight slots, every key may be in every slot.
    for slots in 1..=8 {
        let limiter = capped(slots);
        for key in 0..slots {
            spend(&limiter, 1, key);
        }
        assert_eq!((limiter.tracked_keys(), limiter.evictions()), (slots, 0));
        spend(&limiter, 1, "one more");
        assert_eq!((limiter.tracked_keys(), limiter.evictions()), (slots, 1));
    }
}

#[test]
fn a_table_that_outgrows_the_caches_finds_every_key_again() {
    // Four megabytes of slots, of which one in ten is taken: nobody has to make way.
    let limiter = capped(1 << 18);
    for left in [119, 118, 117] {
        for key in 0..26_000 {
            assert_eq!(read(&limiter, key).remaining(), Some(left), "key {key}");
        }
    }
    assert_eq!((limiter.tracked_keys(), limiter.evictions()), (26_000, 0));
}

#[test]
fn up_to_half_of_the_slots_hardly_any_new_key_takes_the_place_of_another() {
    const SLOTS: u64 = 40_000;
    let limiter = capped(SLOTS);
    for key in 0..SLOTS / 2 {
        spend(&limiter, 1, key);
    }
    assert!(limiter.evictions() <= SLOTS / 2 / 1_000, "{} evictions", limiter.evictions());
}

#[test]
fn a_flood_of_new_keys_refreshes_no_exhausted_bucket() {
    // FAULTS 13: burst 10, a slot in nine taken by an exhausted bucket, half of the slots taken before.
    const SLOTS: u64 = 10_000;
    let (limiter, _clock) = limiter(|config| {
        let config = config.max_tracked_keys(SLOTS);
        config.class(Class::Read, |class| class.per_minute(60).burst(10))
    });
    let exhausted: Vec<u64> = (0..900).collect();
    for key in &exhausted {
        for _ in 0..10 {
            assert!(read(&limiter, ("victim", key)).permitted());
        }
    }
    for key in 0..SLOTS / 2 - 900 {
        spend(&limiter, 1, ("before", key));
    }
    for key in 0..10 * SLOTS {
        assert!(read(&limiter, ("flood", key)).permitted());
    }
    assert!(limiter.evictions() > 0);
    let refreshed =
        exhausted.iter().filter(|key| read(&limiter, ("victim", key)).permitted()).count();
    assert_eq!(refreshed, 0);
}

#[test]
fn the_bucket_that_spent_the_smallest_share_makes_way() {
    let (limiter, _clock) = limiter(|config| {
        config
            .max_tracked_keys(3)
            .class(Class::Read, |class| class.burst(100))
            .class(Class::Write, |class| class.burst(4))
    });
    let reads = limiter.class(Class::Read);
    // 50, 30 and 25 of a hundred.
    let _ = ready(reads.clone().cost(50).unwrap().acquire("half")).unwrap();
    let _ = ready(reads.clone().cost(30).unwrap().acquire("third")).unwrap();
    let _ = ready(limiter.acquire(Class::Write, "quarter")).unwrap();
    let _ = ready(reads.acquire("new")).unwrap();
    assert_eq!(ready(limiter.peek(Class::Write, "quarter")).unwrap().remaining(), Some(4));
    assert_eq!(ready(reads.peek("half")).unwrap().remaining(), Some(50));
    assert_eq!(ready(reads.peek("third")).unwrap().remaining(), Some(70));
}

#[test]
fn of_equal_buckets_the_one_used_longest_ago_makes_way() {
    let (limiter, clock) = limiter(|config| config.max_tracked_keys(2));
    spend(&limiter, 1, "earlier");
    clock.advance(Duration::from_millis(10));
    spend(&limiter, 1, "later");
    spend(&limiter, 1, "new");
    assert_eq!(ready(limiter.peek(Class::Read, "earlier")).unwrap().remaining(), Some(120));
    assert_eq!(ready(limiter.peek(Class::Read, "later")).unwrap().remaining(), Some(119));
}

#[test]
fn a_full_bucket_makes_way_before_any_other_and_counts_as_none() {
    let (limiter, clock) = limiter(|config| config.max_tracked_keys(2));
    spend(&limiter, 1, "idle");
    clock.advance(Duration::from_secs(60));
    spend(&limiter, 1, "busy");
    assert_eq!(limiter.tracked_keys(), 1);
    spend(&limiter, 1, "new");
    assert_eq!((limiter.tracked_keys(), limiter.evictions()), (2, 0));
    assert_eq!(ready(limiter.peek(Class::Read, "busy")).unwrap().remaining(), Some(119));
}

#[test]
fn a_sweep_erases_full_buckets_alone_and_changes_no_decision() {
    let (limiter, clock) = reads(60, 10);
    for key in 0..100 {
        spend(&limiter, 1, key);
        clock.advance(Duration::from_millis(10));
    }
    // The first was used 1 s ago, and so is full; the others are not.
    assert_eq!(limiter.tracked_keys(), 99);
    assert_eq!(limiter.sweep(), 1);
    assert_eq!(limiter.sweep(), 0);
    clock.advance(Duration::from_millis(500));
    assert_eq!(limiter.tracked_keys(), 49);
    assert_eq!(limiter.sweep(), 50);
    assert_eq!(read(&limiter, 0).remaining(), Some(9));
    assert_eq!(read(&limiter, 99).remaining(), Some(8));
}

#[test]
fn equal_keys_of_different_classes_and_types_never_meet() {
    let (limiter, _clock) = limiter(|config| config);
    let left = |class, decision: tollgate::Decision| {
        assert_eq!(decision.class(), class);
        decision.limits().capacity() - decision.remaining().unwrap()
    };
    for class in Class::ALL {
        assert_eq!(left(*class, ready(limiter.acquire(*class, "7")).unwrap()), 1, "{class}");
        assert_eq!(left(*class, ready(limiter.acquire(*class, 7)).unwrap()), 1, "{class}");
        assert_eq!(left(*class, ready(limiter.acquire(*class, '7')).unwrap()), 1, "{class}");
    }
}

#[test]
fn more_slots_than_there_is_memory_are_an_error() {
    // 2^32 slots are 64 GiB; address space alone may be had, so only the error's text is certain.
    let error = tollgate::limiter::StartError::OutOfMemory {
        key: "ratelimit.max_tracked_keys".into(),
        keys: 1 << 32,
        bytes: 1 << 36,
    };
    assert_eq!(
        error.to_string(),
        "ratelimit.max_tracked_keys is 4294967296, and the 68719476736 bytes for them cannot be allocated; lower it"
    );
}
