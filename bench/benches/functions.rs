//! Single functions of the library, through its public interface.

use std::hint::black_box;
use std::net::IpAddr;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use axum::http::request::Parts;
use axum::http::{HeaderMap, Request};
use divan::Bencher;
use tollgate::clock::ManualClock;
use tollgate::http::{Checked, Gate, RequestView};
use tollgate::{Class, Config, Declaration, Limiter, ToKey};

fn main() {
    divan::main();
}

/// A burst that no measurement uses up.
const PLENTY: u64 = 4_000_000_000;
const READ: Declaration<Class> = Class::Read.__declaration();

/// With a clock that stands still, so that reading it costs nothing.
fn limiter(burst: u64) -> Limiter {
    let config = Config::builder()
        .class(Class::Read, |read| read.burst(burst))
        .trusted_proxies(["10.0.0.0/8".parse().expect("a network")])
        .build();
    Limiter::with_clock(&config.expect("all of it is in range"), ManualClock::new())
        .expect("there is memory")
}

fn gate() -> Gate {
    Gate::builder(limiter(PLENTY)).build().expect("no custom keys")
}

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("a local class never waits"),
    }
}

fn parts(forwarded: Option<&str>) -> Parts {
    let (mut parts, ()) = Request::new(()).into_parts();
    if let Some(forwarded) = forwarded {
        parts.headers.insert("x-forwarded-for", forwarded.parse().expect("a header"));
    }
    parts
}

/// The table and the arithmetic of a bucket that has tokens.
#[divan::bench(sample_size = 1_000)]
fn charge(bencher: Bencher<'_, '_>) {
    let limiter = limiter(PLENTY);
    bencher.bench(|| ready(limiter.acquire(Class::Read, black_box(7_u32))));
}

/// The same of one that has none.
#[divan::bench(sample_size = 1_000)]
fn refusal(bencher: Bencher<'_, '_>) {
    let limiter = limiter(1);
    assert!(ready(limiter.acquire(Class::Read, 7_u32)).is_ok_and(|first| first.permitted()));
    bencher.bench(|| ready(limiter.acquire(Class::Read, black_box(7_u32))));
}

/// The hash alone: a request that nobody polls takes nothing.
fn hash(bencher: Bencher<'_, '_>, key: impl ToKey + Copy + Sync) {
    let limiter = limiter(PLENTY);
    bencher.bench(|| drop(black_box(limiter.acquire(Class::Read, black_box(key)))));
}

#[divan::bench(sample_size = 1_000)]
fn hash_of_a_number(bencher: Bencher<'_, '_>) {
    hash(bencher, 7_u64);
}

#[divan::bench(sample_size = 1_000)]
fn hash_of_an_address(bencher: Bencher<'_, '_>) {
    hash(bencher, IpAddr::from([192, 0, 2, 7]));
}

#[divan::bench(sample_size = 1_000)]
fn hash_of_36_characters(bencher: Bencher<'_, '_>) {
    hash(bencher, "6f1c2a10-2f6c-4a51-9d3e-5c1b07d2e9aa");
}

/// A decision of the gate and the text of its fields.
#[divan::bench(sample_size = 1_000)]
fn check(bencher: Bencher<'_, '_>) {
    let (gate, parts) = (gate(), parts(None));
    let view = RequestView::new(&parts).peer(Some([192, 0, 2, 7].into()));
    bencher.bench(|| ready(gate.check(&READ, black_box(&view))));
}

/// The same, and the fields go into the head of a response.
#[divan::bench(sample_size = 1_000)]
fn check_and_write(bencher: Bencher<'_, '_>) {
    let (gate, parts) = (gate(), parts(None));
    let view = RequestView::new(&parts).peer(Some([192, 0, 2, 7].into()));
    let room = || HeaderMap::with_capacity(8);
    bencher.with_inputs(room).bench_refs(|headers| {
        let Checked::Admitted(fields) = ready(gate.check(&READ, black_box(&view))) else {
            unreachable!("the bucket has tokens");
        };
        fields.write(headers);
    });
}

/// The client behind two proxies.
#[divan::bench(sample_size = 1_000)]
fn address_behind_proxies(bencher: Bencher<'_, '_>) {
    let (gate, parts) = (gate(), parts(Some("203.0.113.9, 198.51.100.1, 10.0.0.7")));
    let view = RequestView::new(&parts).peer(Some([10, 0, 0, 2].into()));
    assert_eq!(gate.client_ip(&view), Some([198, 51, 100, 1].into()));
    bencher.bench(|| gate.client_ip(black_box(&view)));
}
