//! What is written into the fields is what a parser of structured fields reads there, with the numbers of exact
//! arithmetic, whatever a handler has written before.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use http::header::{HeaderMap, HeaderValue};
use sfv::{BareItem, ListEntry, Parser};
use tollgate::catalogue::KeyKind;
use tollgate::clock::ManualClock;
use tollgate::http::{Checked, Gate, RequestView, TimeProfile};
use tollgate::{Class, Config, Declaration, Limiter, Limits, RouteBudget};

use super::input::Input;

const SECOND: u128 = 1_000_000;
const FIELDS: [&str; 2] = ["ratelimit-policy", "ratelimit"];

/// What names are made of: all that has to be escaped, all that parts members, and letters.
const PIECES: [&str; 16] =
    ["a", "\"", "\\", ",", ";", "=", " ", "%", "22", "~", "(", "\t", "\n", "\u{7f}", "ä", "🦀"];

/// The library takes names that live as long as the program; there are not many of them.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// A table for one bucket.
static CONFIG: LazyLock<Config> =
    LazyLock::new(|| Config::builder().max_tracked_keys(1).build().expect("settings in range"));

/// A member of a list: its string and its integers.
type ListMember = (String, Vec<(String, i64)>);

/// Requests for one limit, each answered by a handler that writes fields of its own.
pub fn holds(data: &[u8]) {
    let mut input = Input(data);
    let name = name(&mut input);
    let Some(limits) = limits(&mut input) else { return };
    let effective = input.byte() % 2 == 1;
    let clock = Arc::<ManualClock>::default();
    let gate = gate(&clock, effective);
    let budget = Declaration::Budget(RouteBudget::new(name.0, limits, KeyKind::Global));
    let mut bucket = Bucket { limits, spent: 0 };
    for _ in 0..8 {
        let step = Duration::from_micros(input.number() >> 24);
        clock.advance(step);
        bucket.refill(step);
        let written = FIELDS.map(|_| HeaderValue::from_bytes(input.some_bytes(60)).ok());
        let admitted = bucket.take();
        let headers = match ask(&gate, &budget) {
            Checked::Admitted(fields) => {
                assert!(admitted, "{limits:?}");
                let values = FIELDS.into_iter().zip(written.clone());
                let values =
                    values.filter_map(|(field, value)| Some((field.parse().ok()?, value?)));
                let mut headers: HeaderMap = values.collect();
                fields.write(&mut headers);
                headers
            }
            Checked::Refused(response) => {
                assert!(!admitted, "{limits:?}");
                let wait =
                    response.headers().get("retry-after").and_then(|wait| wait.to_str().ok());
                assert_eq!(wait, Some(&*bucket.wait().to_string()), "{limits:?}");
                response.into_parts().0.headers
            }
        };
        let numbers = [bucket.policy(), bucket.state(effective)];
        for ((field, numbers), before) in FIELDS.into_iter().zip(numbers).zip(written) {
            let list = headers.get(field).and_then(members);
            let list = list.unwrap_or_else(|| panic!("{headers:?} has no readable {field}"));
            let (own, kept) = list.split_first().expect("the limit is a member");
            assert_eq!((own.0.as_str(), &own.1), (&*name.1, &numbers), "{field} of {limits:?}");
            // Members of others stay where their field was in order.
            if let Some(before) = before.as_ref().and_then(members).filter(|_| admitted) {
                let others = before.into_iter().filter(|(other, _)| *other != name.1);
                let others: BTreeSet<String> = others.map(|(other, _)| other).collect();
                let kept: BTreeSet<String> = kept.iter().map(|(other, _)| other.clone()).collect();
                assert_eq!(kept, others, "{headers:?}");
            }
        }
        if input.is_empty() {
            break;
        }
    }
}

fn ask(gate: &Gate, budget: &Declaration<Class>) -> Checked {
    let request = http::Request::new(()).into_parts().0;
    let view = RequestView::new(&request);
    let check = pin!(gate.check(budget, &view));
    match check.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(checked) => checked,
        Poll::Pending => panic!("a local decision waited"),
    }
}

fn gate(clock: &Arc<ManualClock>, effective: bool) -> Gate {
    let limiter = Limiter::with_clock(&CONFIG, Arc::clone(clock)).expect("one slot");
    let profile = if effective { TimeProfile::EffectiveWindow } else { TimeProfile::TimeToFull };
    Gate::builder(limiter).time_profile(profile).build().expect("no custom keys")
}

/// A name, and what a parser reads where it is written: a structured field has no other characters than printable ones
/// of ASCII, so the bytes of others are written in hexadecimal.
fn name(input: &mut Input<'_>) -> (&'static str, String) {
    let pieces = (0..=input.below(4)).filter_map(|_| PIECES.get(usize::from(input.below(16))));
    let name: String = pieces.copied().collect();
    let readable = name.bytes().map(|byte| match byte {
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    let readable = readable.collect();
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = names.get(name.as_str()).copied().unwrap_or_else(|| name.leak());
    names.insert(kept);
    (kept, readable)
}

/// Limits whose tokens and microseconds a table can count without rounding.
fn limits(input: &mut Input<'_>) -> Option<Limits> {
    let micros = input.number() % (365 * 86_400 * 1_000_000) + 1;
    let tokens = input.number() % 25_000.min(micros * 10) + 1;
    let capacity = input.number() % Limits::MAX_TOKENS.min((1 << 61) / micros).max(1) + 1;
    Limits::new(tokens, Duration::from_micros(micros), capacity).ok()
}

/// A bucket by the book, in fractions of 1 / period.
struct Bucket {
    limits: Limits,
    spent: u128,
}

impl Bucket {
    fn period(&self) -> u128 {
        self.limits.period().as_micros()
    }

    fn tokens(&self) -> u128 {
        self.limits.tokens().into()
    }

    fn left(&self) -> u128 {
        u128::from(self.limits.capacity()) * self.period() - self.spent
    }

    fn refill(&mut self, step: Duration) {
        self.spent = self.spent.saturating_sub(step.as_micros() * self.tokens());
    }

    fn take(&mut self) -> bool {
        let admitted = self.left() >= self.period();
        self.spent += if admitted { self.period() } else { 0 };
        admitted
    }

    /// The seconds in which so much comes, rounded up once.
    fn seconds(&self, missing: u128) -> u128 {
        missing.div_ceil(self.tokens()).div_ceil(SECOND)
    }

    /// `Retry-After`.
    fn wait(&self) -> u128 {
        self.seconds(self.period() - self.left()).max(1)
    }

    fn policy(&self) -> Vec<(String, i64)> {
        let window = self.period().div_ceil(SECOND);
        let quota = self.tokens() * window * SECOND / self.period();
        vec![parameter("q", quota), parameter("w", window)]
    }

    fn state(&self, effective: bool) -> Vec<(String, i64)> {
        let remaining = self.left() / self.period();
        let time = match (effective, remaining) {
            (false, _) => self.seconds(self.spent),
            (true, 0) => self.wait(),
            (true, _) => self.seconds(remaining * self.period()).max(1),
        };
        vec![parameter("r", remaining), parameter("t", time)]
    }
}

fn parameter(key: &str, value: u128) -> (String, i64) {
    (key.to_owned(), i64::try_from(value).expect("a number below 2^63"))
}

/// The members of a list of strings with their integers; nothing when a field is something else.
fn members(field: &HeaderValue) -> Option<Vec<ListMember>> {
    let list: sfv::List = Parser::new(field.as_bytes()).parse().ok()?;
    let member = |entry: ListEntry| {
        let ListEntry::Item(item) = entry else { return None };
        let BareItem::String(name) = item.bare_item else { return None };
        let integers = item.params.into_iter().filter_map(|(key, value)| match value {
            BareItem::Integer(value) => Some((key.as_str().to_owned(), value.into())),
            _ => None,
        });
        Some((name.as_str().to_owned(), integers.collect()))
    };
    list.into_iter().map(member).collect()
}
