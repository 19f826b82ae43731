//! What requests make of buckets, also of such as change under them.

use super::*;

#[test]
fn a_cost_of_the_whole_capacity_is_decided_and_one_more_is_not() {
    let world = World::new(4, 3);
    assert_eq!(world.acquire(key(1), 4), Answer::AboveCapacity);
    assert!(world.taken().is_empty());
    assert_eq!(world.enter(key(1), 3), (true, Entry::New));
    assert_eq!(world.acquire(key(1), 4), Answer::AboveCapacity);
    assert_eq!(world.enter(key(1), 3), (false, Entry::Known));
    world.clock.advance(3 * MILLISECOND);
    assert_eq!(world.enter(key(1), 3), (true, Entry::Known));
}

#[test]
fn a_policy_that_is_switched_off_touches_no_bucket() {
    let world = World::new(4, 3);
    assert_eq!(world.enter(key(1), 1), (true, Entry::New));
    world.replace(Live { enabled: false, ..world.live() });
    for number in [1, 2] {
        assert_eq!(world.acquire(key(number), 1), Answer::Disabled);
        assert_eq!(world.acquire_quickly(key(number), 1), None);
    }
    assert_eq!((world.left(key(1)), world.taken()), (2, vec![1]));
}

#[test]
fn a_known_bucket_is_charged_quickly_up_to_its_whole_capacity() {
    let world = World::new(4, 3);
    assert_eq!(world.acquire_quickly(key(1), 1), None);
    assert_eq!(world.enter(key(1), 1), (true, Entry::New));
    assert_eq!(world.acquire_quickly(key(1), 1), Some((true, false)));
    assert_eq!(world.left(key(1)), 1);
    for cost in [2, 3] {
        assert_eq!(world.acquire_quickly(key(1), cost), Some((false, false)));
    }
    assert_eq!(world.acquire_quickly(key(1), 4), None);
    assert_eq!(world.left(key(1)), 1);
    world.clock.advance(2 * MILLISECOND);
    world.replace(Live { shadow: true, ..world.live() });
    assert_eq!(world.acquire_quickly(key(1), 3), Some((true, true)));
    assert_eq!(world.left(key(1)), 0);
}

#[test]
fn a_bucket_on_another_meter_or_beyond_its_capacity_is_nothing_for_a_quick_charge() {
    let world = World::new(4, 3);
    world.clock.advance(5 * MILLISECOND);
    assert_eq!(world.enter(key(1), 3), (true, Entry::New));
    world.clock.set(0);
    assert_eq!(world.acquire_quickly(key(1), 1), None);
    world.clock.advance(5 * MILLISECOND);
    // Other limits have come, and the bucket is not converted yet.
    world.replace(world.live().reloaded(limits(9), world.clock.now()));
    assert_eq!(world.acquire_quickly(key(1), 1), None);
    assert_eq!(decided(world.acquire(key(1), 1)), (true, 5, Entry::Known));
    assert_eq!(world.acquire_quickly(key(1), 1), Some((true, false)));
    assert_eq!(world.left(key(1)), 4);
}

#[test]
fn a_refund_is_at_most_a_capacity_and_for_known_buckets_alone() {
    let world = World::new(4, 3);
    world.refund(key(1), 1);
    assert!(world.taken().is_empty());
    assert_eq!(world.enter(key(1), 3), (true, Entry::New));
    world.refund(key(1), 4);
    assert_eq!(world.left(key(1)), 0);
    world.refund(key(1), 2);
    assert_eq!(world.left(key(1)), 2);
    world.refund(key(1), 3);
    assert_eq!(world.left(key(1)), 3);
}

#[test]
fn a_sweep_erases_what_is_full_and_counts_both() {
    let world = World::new(16, 4);
    for (number, cost) in (0..).zip([1, 4, 1, 4, 1]) {
        assert_eq!(world.enter(key(number), cost), (true, Entry::New));
    }
    let tracked = || world.table.tracked(&world.policies, &world.clock);
    assert_eq!((tracked(), world.sweep()), (5, Swept { erased: 0, tracked: 5 }));
    world.clock.advance(MILLISECOND);
    assert_eq!((tracked(), world.sweep()), (2, Swept { erased: 3, tracked: 2 }));
    assert_eq!((tracked(), world.sweep()), (2, Swept { erased: 0, tracked: 2 }));
    assert_eq!([1, 3].map(|number| world.left(key(number))), [1; 2]);
}

#[test]
fn a_full_bucket_that_is_charged_before_it_is_erased_stays() {
    let world = World::new(4, 4);
    assert_eq!(world.enter(key(1), 1), (true, Entry::New));
    world.clock.advance(MILLISECOND);
    let clock = Interrupted {
        clock: &world.clock,
        readings: AtomicU64::new(1),
        deed: &|| assert_eq!(world.enter(key(1), 2), (true, Entry::Known)),
    };
    let swept = world.table.sweep(&world.policies, &clock);
    assert_eq!((swept, world.left(key(1))), (Swept { erased: 0, tracked: 1 }, 2));
}

#[test]
fn a_meter_that_is_over_starts_again() {
    // So fine a count that there is room for ten days and a half.
    let world = World::under(Limits::new(9_999_999, Duration::from_secs(1), 3).unwrap(), 4);
    assert_eq!(world.enter(key(1), 3), (true, Entry::New));
    let before = world.live();
    for days in [11, 22] {
        world.clock.set(days * 86_400_000_000);
        assert_eq!(decided(world.acquire(key(1), 1)), (true, 2, Entry::Known));
        assert_eq!(decided(world.acquire(key(days), 2)), (true, 1, Entry::New));
    }
    assert_ne!(world.live().meter, before.meter);
    assert!(world.live().meter.reaches(world.clock.now()));
}

#[test]
fn limits_that_change_twice_keep_what_is_spent() {
    let world = World::new(4, 5);
    world.clock.advance(5 * MILLISECOND);
    for (number, cost) in [(1, 2), (2, 4)] {
        assert_eq!(world.enter(key(number), cost), (true, Entry::New));
    }
    for milliseconds in [2, 3] {
        world.reload(Limits::new(1, milliseconds * MILLISECOND, 5).unwrap());
        assert_eq!([1, 2].map(|number| world.left(key(number))), [3, 1]);
    }
}

#[test]
fn limits_that_come_while_a_request_knows_the_time_hold_for_it() {
    // Two of five are spent of the known one; afterwards two of three.
    for (number, burst, expected) in [
        (1, 2, None),
        (1, 3, Some((false, 1, Entry::Known))),
        (2, 2, None),
        (2, 3, Some((true, 0, Entry::New))),
    ] {
        let world = World::new(4, 5);
        assert_eq!(world.enter(key(1), 2), (true, Entry::New));
        let answer = world.acquire_around(1, &|| world.reload(limits(burst)), key(number), 3);
        match expected {
            Some(expected) => assert_eq!(decided(answer), expected),
            None => assert_eq!(answer, Answer::AboveCapacity),
        }
    }
}

#[test]
fn a_slot_that_changes_hands_under_a_request_is_not_charged_for_the_wrong_key() {
    let world = World::new(1, 3);
    world.clock.advance(5 * MILLISECOND);
    assert_eq!(world.enter(key(1), 3), (true, Entry::New));
    // The clock steps back, so that the request reads it a second time; then another key has the slot.
    world.clock.set(0);
    let other = || assert_eq!(world.enter(key(2), 1), (true, Entry::Evicting));
    let answer = world.acquire_around(2, &other, key(1), 1);
    assert_eq!(decided(answer), (true, 2, Entry::Evicting));
}
