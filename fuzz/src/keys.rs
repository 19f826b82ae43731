//! Distinct tuples are distinct keys, for a key that is kept and for a bucket in the table.

use std::net::IpAddr;
use std::pin::pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, Waker};

use tollgate::clock::ManualClock;
use tollgate::key::{Key, KeySink, ToKey};
use tollgate::{Class, Config, Limiter};

use super::input::Input;

/// One component.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Absent,
    Address(IpAddr),
    Bool(bool),
    Bytes(Vec<u8>),
    Char(char),
    Float(f64),
    Negative(i128),
    Text(String),
    Unsigned(u128),
}

impl ToKey for Part {
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        match self {
            Self::Absent => None::<u8>.write_key(sink),
            Self::Address(address) => address.write_key(sink),
            Self::Bool(value) => value.write_key(sink),
            Self::Bytes(bytes) => bytes.as_slice().write_key(sink),
            Self::Char(value) => value.write_key(sink),
            Self::Float(value) => value.write_key(sink),
            Self::Negative(value) => value.write_key(sink),
            Self::Text(text) => text.write_key(sink),
            Self::Unsigned(value) => value.write_key(sink),
        }
    }
}

struct Parts<'a>(&'a [Part]);

impl ToKey for Parts<'_> {
    fn write_key<S: KeySink>(&self, sink: &mut S) {
        self.0.iter().for_each(|part| part.write_key(sink));
    }
}

/// Buckets of one token, at a clock that stands.
static LIMITER: LazyLock<Limiter> = LazyLock::new(|| {
    let config = Config::builder()
        .max_tracked_keys(8)
        .class(Class::Read, |class| class.per_minute(1).burst(1))
        .build();
    Limiter::with_clock(&config.expect("limits in range"), ManualClock::new()).expect("eight slots")
});

/// Two tuples, one behind the other.
pub fn holds(data: &[u8]) {
    let mut input = Input(data);
    let one: Vec<Part> = (0..input.below(5)).map(|_| part(&mut input)).collect();
    let other: Vec<Part> = (0..input.below(5)).map(|_| part(&mut input)).collect();
    let equal = one == other;
    let shown = || format!("{one:?} and {other:?}");
    assert_eq!(Key::new(Parts(&one)) == Key::new(Parts(&other)), equal, "{}", shown());

    assert!(takes(&one), "a bucket that was given back is empty: {}", shown());
    assert_eq!(!takes(&other), equal, "{}", shown());
    LIMITER.class(Class::Read).refund(Parts(&one));
    LIMITER.class(Class::Read).refund(Parts(&other));
}

/// Whether the token of the key's bucket was there.
fn takes(key: &[Part]) -> bool {
    let acquire = pin!(LIMITER.acquire(Class::Read, Parts(key)));
    match acquire.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(decision) => decision.expect("a cost of one").permitted(),
        Poll::Pending => panic!("a local decision waited"),
    }
}

fn part(input: &mut Input<'_>) -> Part {
    match input.below(10) {
        0 => Part::Absent,
        1 => Part::Bool(input.byte() % 2 == 1),
        2 => Part::Bytes(input.some_bytes(255).to_vec()),
        3 => Part::Char(char::from_u32(low(input.number())).unwrap_or('x')),
        // Every not a number is one key, and so are both zeros; the others are equal when their bits are.
        4 => Part::Float(
            Some(f64::from_bits(input.number())).filter(|f| f.is_normal()).unwrap_or(0.0),
        ),
        5 => Part::Negative(!i128::from(input.number())),
        6 => Part::Text(String::from_utf8_lossy(input.some_bytes(255)).into_owned()),
        7 => Part::Unsigned(u128::from(input.number()) << (input.below(9) * 8)),
        8 => Part::Address(IpAddr::from(low(input.number()).to_be_bytes())),
        _ => Part::Address(IpAddr::from((u128::from(input.number()) << 64).to_be_bytes())),
    }
}

/// The lower half.
fn low(number: u64) -> u32 {
    u32::try_from(number & u64::from(u32::MAX)).expect("32 bits")
}
