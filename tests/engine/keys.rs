//! Keys: what is one key and what is two.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use proptest::prelude::*;
use tollgate::key::{Key, KeySink, ToKey};

use super::{read, reads};

fn same(one: impl ToKey, other: impl ToKey) -> bool {
    let (limiter, _clock) = reads(60, 2);
    let kept = Key::new(&one) == Key::new(&other);
    assert_eq!(read(&limiter, &one).remaining(), Some(1));
    let hashed = read(&limiter, &other).remaining() == Some(0);
    assert_eq!(kept, hashed, "the kept key and the hash disagree");
    hashed
}

#[test]
fn equal_values_are_one_key_whatever_holds_them() {
    let text = String::from("alice");
    assert!(same("alice", &text) && same(&text, Cow::Borrowed("alice")));
    assert!(same("alice", Arc::<str>::from("alice")) && same("alice", Box::<str>::from("alice")));
    assert!(same("alice", Some("alice")) && same("alice", Key::new("alice")));
    assert!(
        same(7_u8, 7_u64) && same(7_i32, 7_u128) && same(7_usize, 7_i8) && same(-7_i8, -7_i128)
    );
    assert!(same(1.5_f32, 1.5_f64) && same(0.0_f64, -0.0_f64) && same(f64::NAN, -f64::NAN));
    assert!(same(Ipv4Addr::LOCALHOST, IpAddr::V4(Ipv4Addr::LOCALHOST)));
    assert!(same(("a", ("b", "c")), (("a", "b"), "c")));
    assert!(same((), Key::global()) && same(((), "a"), "a"));
}

#[test]
fn unequal_values_are_two_keys_however_alike_they_look() {
    assert!(!same("7", 7) && !same('7', "7") && !same('7', 7) && !same(true, 1) && !same(1.0, 1));
    assert!(!same("alice", *b"alice") && !same("", ()) && !same(Some(""), None::<&str>));
    assert!(
        !same(("a", "b"), ("ab",))
            && !same(("a", "b"), ("ab", ""))
            && !same(("", "ab"), ("ab", ""))
    );
    assert!(!same(("a", 1), (1, "a")) && !same(("a", None::<&str>), "a") && !same(-1, u64::MAX));
    assert!(!same(-1_i128, u128::MAX) && !same(i128::MIN, 1_u128 << 127) && !same(-1, 0));
    assert!(!same(Ipv4Addr::LOCALHOST, Ipv4Addr::LOCALHOST.to_ipv6_mapped()));
    assert!(!same(Ipv6Addr::LOCALHOST, Ipv6Addr::LOCALHOST.octets()));
    assert!(!same(u64::MAX, u128::from(u64::MAX) + 1));
}

#[test]
fn moments_are_keys_to_the_nanosecond_on_both_sides_of_1970() {
    let after = |nanos| UNIX_EPOCH + Duration::from_nanos(nanos);
    let before = UNIX_EPOCH - Duration::from_nanos(1);
    assert!(same(after(7), after(7)) && !same(after(1), after(2)) && !same(after(1), before));
    assert!(!same(after(0), before) && !same(after(0), 0));
}

#[cfg(feature = "uuid")]
#[test]
fn a_uuid_is_neither_its_number_nor_its_text() {
    let uuid = uuid::Uuid::from_u128(7);
    assert!(same(uuid, uuid::Uuid::from_u128(7)) && !same(uuid, uuid::Uuid::from_u128(8)));
    assert!(!same(uuid, 7) && !same(uuid, uuid.to_string()) && !same(uuid, uuid.into_bytes()));
}

#[test]
fn a_derived_key_is_its_fields_after_the_name_of_its_variant() {
    #[derive(ToKey)]
    struct Account<'a> {
        tenant: u32,
        name: &'a str,
    }
    #[derive(ToKey)]
    enum Caller<T> {
        User(T),
        Guest(T),
        Machine { id: u64, address: IpAddr },
        Nobody,
    }
    #[derive(ToKey)]
    struct Wrapped(Caller<u8>);
    #[derive(ToKey)]
    struct Unit;

    assert!(same(Account { tenant: 7, name: "a" }, (7, "a")));
    assert!(same(Unit, Key::global()));
    assert!(same(Wrapped(Caller::User(1)), Caller::User(1_u64)));
    assert!(!same(Caller::User("a"), Caller::Guest("a")) && !same(Caller::User("a"), "a"));
    assert!(!same(Caller::<u8>::Nobody, "Nobody") && !same(Caller::User(()), Caller::Guest(())));
    let machine = |id| Caller::<u8>::Machine { id, address: IpAddr::V4(Ipv4Addr::LOCALHOST) };
    assert!(same(machine(1), machine(1)) && !same(machine(1), machine(2)));
}

#[test]
fn a_component_of_any_length_counts_to_its_last_byte() {
    for length in [255, 256, 257, 10_000] {
        let long = "k".repeat(length);
        let other = format!("{}j", &long[1..]);
        assert!(same(&long, long.clone()) && !same(&long, &other), "{length}");
        assert!(!same(&long, &long[1..]), "{length}");
    }
}

/// One component, and a way to feed it.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Bytes(Vec<u8>),
    Unsigned(u128),
    Negative(i64),
    Char(char),
    Bool(bool),
    Absent,
    Address(IpAddr),
}

impl ToKey for Part {
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        match self {
            Self::Text(text) => text.write_key(sink),
            Self::Bytes(bytes) => bytes.as_slice().write_key(sink),
            Self::Unsigned(value) => value.write_key(sink),
            Self::Negative(value) => value.write_key(sink),
            Self::Char(value) => value.write_key(sink),
            Self::Bool(value) => value.write_key(sink),
            Self::Absent => None::<u8>.write_key(sink),
            Self::Address(address) => address.write_key(sink),
        }
    }
}

struct Parts<'a>(&'a [Part]);

impl ToKey for Parts<'_> {
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        self.0.iter().for_each(|part| part.write_key(sink));
    }
}

/// Small alphabets, so that parts are often equal and texts often each other's beginnings.
fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        "[ab1]{0,3}".prop_map(Part::Text),
        prop::collection::vec(b'a'..=b'b', 0..3).prop_map(Part::Bytes),
        (0..3_u128).prop_map(Part::Unsigned),
        any::<u128>().prop_map(Part::Unsigned),
        (-3..0_i64).prop_map(Part::Negative),
        prop::char::range('a', 'b').prop_map(Part::Char),
        any::<bool>().prop_map(Part::Bool),
        Just(Part::Absent),
        (0..2_u8).prop_map(|last| Part::Address(IpAddr::from([127, 0, 0, last]))),
    ]
}

proptest! {
    /// Distinct tuples are distinct keys, and equal ones the same.
    #[test]
    fn framing_is_injective(
        one in prop::collection::vec(part(), 0..4),
        other in prop::collection::vec(part(), 0..4),
    ) {
        prop_assert_eq!(Key::new(Parts(&one)) == Key::new(Parts(&other)), one == other);
        prop_assert_eq!(same(Parts(&one), Parts(&other)), one == other);
    }
}
