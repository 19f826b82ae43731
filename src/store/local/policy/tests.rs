use super::*;

const HASH: u64 = 0xABCD_EF01_2345_6789;

fn limits(per_minute: u32) -> Limits {
    Limits::per_minute(per_minute, 10).unwrap()
}

fn setup(per_minute: u32) -> Setup {
    let label = Label { name: "p".into(), tier: None, revision: Mutex::new(None) };
    Setup { live: Live::new(limits(per_minute), 0), registry: 3, label }
}

/// What holds for a policy with these flags, every other number of it different.
fn live(refill: Refill, saturation: Saturation, [enabled, shadow, generation]: [bool; 3]) -> Live {
    let limits = limits(60).refilled(refill);
    Live {
        meter: Meter { limits, unit: 2, step: 3, origin: 4, span: 5 },
        enabled,
        shadow,
        saturation,
        generation,
        handover: Handover { reading: -(7 << 70) - 8, unit: 9, capacity: 11, next: 12 },
    }
}

#[test]
fn what_is_written_of_a_policy_is_what_is_read() {
    let policies = Policies::new();
    let id = policies.add(setup(60)).unwrap();
    assert_eq!(policies.read(id), Live::new(limits(60), 0));
    for refill in [Refill::Greedy, Refill::Interval] {
        for saturation in [Saturation::Closed, Saturation::Evict, Saturation::Open] {
            for flags in 0..8 {
                let live = live(refill, saturation, [1, 2, 4].map(|flag| flags & flag != 0));
                policies.replace(id, live);
                assert_eq!(policies.read(id), live);
                let present = Live { handover: NO_HANDOVER, ..live };
                assert_eq!(policies.policy(id).present(), present);
            }
        }
    }
}

#[test]
fn numbers_from_1_to_32_766_are_given_once_each_and_then_no_more() {
    let policies = Policies::new();
    assert_eq!((policies.room(), policies.ids().count()), (32_766, 0));
    for number in 1..=32_766 {
        let id = policies.add(setup(60)).unwrap();
        assert_eq!(id.index(), number);
    }
    assert_eq!(policies.room(), 0);
    assert_eq!(policies.add(setup(60)), None);
    assert!(policies.ids().map(PolicyId::index).eq(1..=32_766));
}

#[test]
fn every_policy_has_its_own_place() {
    let policies = Policies::new();
    // More than are in one chunk.
    let ids: Vec<_> = (1..200).map(|rate| policies.add(setup(rate)).unwrap()).collect();
    for (id, rate) in ids.into_iter().zip(1..) {
        policies.set_salt(id, rate + 1_000);
        assert_eq!(policies.read(id).meter.limits.tokens(), rate);
        assert_eq!(policies.policy(id).salt(), rate + 1_000);
        assert_eq!(policies.policy(id).registry(), 3);
        assert_eq!(&*policies.label(id).name, "p");
    }
}

#[test]
fn a_change_of_whether_a_new_key_finds_a_slot_is_told_once() {
    let policies = Policies::new();
    let id = policies.add(setup(60)).unwrap();
    let told = [false, true, true, true, false, false, true]
        .map(|saturated| policies.note_saturation(id, saturated));
    assert_eq!(told, [false, true, false, false, true, false, true]);
}

#[test]
fn a_bucket_of_the_limits_before_is_converted_once_and_keeps_what_is_spent() {
    let policies = Policies::new();
    let id = policies.add(setup(60)).unwrap();
    let before = policies.read(id);
    let word = before.meter.charge(None, 4, 0).unwrap().word;
    let slot = Slot::new(before.owner(HASH, id), word);
    assert_eq!((policies.converted(slot), before.word(slot)), (None, word));

    // The same limits change nothing.
    assert_eq!(before.reloaded(limits(60), 1_000_000), before);
    // One token is back after a second, at 60 a minute.
    let after = before.reloaded(limits(7), 1_000_000);
    policies.replace(id, after);
    assert_eq!(after.meter, Meter::new(limits(7), 1_000_000));
    assert!(!after.is_generation_of(slot));
    let converted = policies.converted(slot).unwrap();
    assert!(after.is_generation_of(converted) && converted.owner().is_key_of(slot.owner()));
    assert_eq!(policies.converted(converted), None);
    for slot in [slot, converted] {
        assert_eq!(policies.level(slot, 1_000_000).remaining(), 7);
        assert_eq!(after.word(slot), converted.word());
    }
    assert_eq!(policies.converted(Slot::EMPTY), None);
    assert_eq!(policies.converted(Slot::BLOCKED), None);

    // A meter that starts again is another generation too.
    policies.replace(id, after.restarted(2_000_000));
    assert_eq!(policies.level(converted, 2_000_000).remaining(), 7);
    assert!(policies.read(id).is_generation_of(policies.converted(converted).unwrap()));
}
