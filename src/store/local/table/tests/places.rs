//! Where new keys go, and which buckets make way for them.

use std::ptr;

use super::*;

#[test]
fn up_to_eight_keys_have_a_slot_each_and_more_have_three_in_whole_sets() {
    // A last set with one slot would be the second of as many keys as one with four.
    let keys = [0, 1, 8, 9, 11, 10_000, u64::MAX];
    assert_eq!(keys.map(Table::slots_for), [0, 1, 8, 28, 36, 30_000, u64::MAX]);
}

#[test]
fn a_new_key_takes_its_home_in_its_first_set() {
    // Eight sets, four of which are the first half. The lowest 16 bits choose among these.
    for (lowest, set) in [(0, 0), (0x3FFF, 0), (0x4000, 1), (0x8000, 2), (0xFFFF, 3)] {
        for home in 0..4 {
            let world = World::new(32, 4);
            assert_eq!(world.enter(key(8 + home as u64) | lowest, 1), (true, Entry::New));
            assert_eq!(world.taken(), [4 * set + home]);
        }
    }
}

#[test]
fn keys_of_one_home_go_round_the_two_sets_and_are_found_there() {
    let world = World::new(8, 10);
    let mut taken = Vec::new();
    // Each goes into the set with more free slots, and there to the next from home on.
    for (number, slot) in (0..).zip([1, 5, 2, 6, 3, 7, 0, 4]) {
        assert_eq!(world.enter(key(1 + 4 * number), 1 + number), (true, Entry::New));
        taken.push(slot);
        taken.sort_unstable();
        assert_eq!(world.taken(), taken);
    }
    for number in 0..8 {
        assert_eq!(world.left(key(1 + 4 * number)), 9 - number);
        assert_eq!(world.enter(key(1 + 4 * number), 1), (true, Entry::Known));
        assert_eq!(world.left(key(1 + 4 * number)), 8 - number);
    }
}

#[test]
fn every_set_of_the_second_half_is_the_second_of_equally_many_keys() {
    // Eight sets in each half.
    let world = World::new(64, 4);
    let mut keys = [0; 8];
    for number in 1..=800 {
        // In the first set the home is taken, so that the key goes into its second.
        let _ = (world.acquire(key(0), 1), world.acquire(key(4 * number), 1));
        let taken = world.taken();
        assert_eq!((taken.len(), taken[0]), (2, 0));
        keys[taken[1] / 4 - 8] += 1;
        world.clock.advance(MILLISECOND);
        assert_eq!(world.sweep().erased, 2);
    }
    assert!(keys.iter().all(|keys| (80..=120).contains(keys)), "{keys:?}");
}

#[test]
fn what_is_beyond_the_last_slot_is_never_taken() {
    // The second set has one slot.
    let world = World::new(5, 4);
    for number in 0..5 {
        assert_eq!(world.enter(key(1 + 4 * number), 1), (true, Entry::New));
    }
    assert_eq!(world.enter(key(21), 1), (true, Entry::Evicting));
    assert_eq!(world.taken(), [0, 1, 2, 3, 4]);
}

#[test]
fn the_smallest_share_makes_way_and_of_equal_ones_the_first_from_home_on() {
    let world = World::new(4, 4);
    for (number, cost) in (0..).zip([2, 1, 3, 1]) {
        assert_eq!(world.enter(key(number), cost), (true, Entry::New));
    }
    assert_eq!(world.table.evictions(), 0);
    // At home a bucket has spent three of four, in the next slot and in the last one.
    for number in [6, 10] {
        assert_eq!(world.enter(key(number), 1), (true, Entry::Evicting));
    }
    assert_eq!(world.table.evictions(), 2);
    assert_eq!([0, 1, 2, 3, 6, 10].map(|number| world.left(key(number))), [2, 3, 1, 4, 4, 3]);
}

#[test]
fn an_empty_slot_is_taken_before_that_of_a_full_bucket_and_that_before_any_other() {
    let world = World::new(4, 4);
    assert_eq!(world.enter(key(0), 1), (true, Entry::New));
    world.clock.advance(MILLISECOND);
    for (number, taken) in [(4, vec![0, 1]), (8, vec![0, 1, 2]), (12, vec![0, 1, 2, 3])] {
        assert_eq!(world.enter(key(number), 1), (true, Entry::New));
        assert_eq!(world.taken(), taken);
    }
    assert_eq!(world.enter(key(17), 1), (true, Entry::New));
    assert_eq!([4, 8, 12, 17].map(|number| world.left(key(number))), [3; 4]);
    assert_eq!(world.table.evictions(), 0);
}

#[test]
fn where_no_bucket_makes_way_a_new_key_has_no_place_until_one_is_full() {
    let world = World::new(1, 4);
    for saturation in [Saturation::Closed, Saturation::Open] {
        world.replace(Live { saturation, ..world.live() });
        assert_eq!(world.enter(key(1), 1), (true, Entry::New));
        assert_eq!(world.acquire(key(2), 1), Answer::Saturated);
        assert_eq!(world.enter(key(1), 1), (true, Entry::Known));
        assert_eq!(world.left(key(1)), 2);
        world.clock.advance(2 * MILLISECOND);
        assert_eq!(world.enter(key(2), 1), (true, Entry::New));
        world.clock.advance(MILLISECOND);
    }
    assert_eq!(world.table.evictions(), 0);
}

#[test]
fn a_key_always_meets_the_same_lock() {
    let world = World::new(4, 1);
    for hash in 0..1_000 {
        assert!(ptr::eq(world.table.stripe(hash), world.table.stripe(hash)));
    }
}

#[test]
fn keys_are_found_in_a_table_that_outgrows_the_caches() {
    // 2^15 sets have two megabytes, and there is one more.
    let world = World::new(4 * ((1 << 15) + 1), 10);
    let hash = |number: u64| (1 + number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for number in 0..5_000 {
        assert_eq!(world.enter(hash(number), 1 + number % 9), (true, Entry::New));
    }
    for number in 0..5_000 {
        assert_eq!(world.acquire_quickly(hash(number), 1), Some((true, false)));
        assert_eq!(world.left(hash(number)), 8 - number % 9);
    }
}
