//! What a decision allocates, counted by an allocator of its own; one test, because it counts for the
//! whole process.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use http::{HeaderMap, Request};
use tollgate::http::{Checked, Gate, RequestView};
use tollgate::{Caller, Class, Config, Declaration, Limiter};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// The result of a future that is ready at once.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a local decision never waits"),
    }
}

/// What `work` gives, and how many blocks it has allocated.
fn counted<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = dhat::HeapStats::get().total_blocks;
    let value = work();
    (value, dhat::HeapStats::get().total_blocks - before)
}

#[test]
fn a_decision_allocates_nothing_and_its_fields_one_block() {
    const READ: Declaration<Class> = Class::Read.__declaration();
    let _profiler = dhat::Profiler::builder().testing().build();
    let proxies = ["10.0.0.0/8".parse().expect("a network")];
    let config = Config::builder().trusted_proxies(proxies).build().expect("all of it is right");
    let limiter = Limiter::new(&config).expect("the buckets fit");
    let gate = Gate::builder(limiter.clone()).config(&config).build().expect("no custom keys");

    for key in [("acme", 7_u32), ("acme", 7), ("a longer tenant than the others", 8)] {
        let (decision, blocks) = counted(|| ready(limiter.acquire(Class::Write, key)));
        assert!(decision.expect("the limiter is open").permitted());
        assert_eq!(blocks, 0, "deciding about {key:?}");
    }

    let (mut parts, ()) = Request::new(()).into_parts();
    parts.extensions.insert(Caller::principal("alice"));
    let known = RequestView::new(&parts).peer("192.0.2.7".parse().ok());
    let (_, blocks) = counted(|| gate.client_ip(&known));
    assert_eq!(blocks, 1, "what a thread reads settings with, once for its life");
    let (_, blocks) = counted(|| ready(gate.check(&READ, &known)));
    assert_eq!(blocks, 2, "the policy of a class and its text, kept to be shared");
    let (checked, blocks) = counted(|| ready(gate.check(&READ, &known)));
    assert_eq!(blocks, 0, "checking a caller of the extensions");
    let Checked::Admitted(fields) = checked else { panic!("a full bucket refuses nobody") };
    let mut headers = HeaderMap::with_capacity(8);
    let ((), blocks) = counted(|| fields.clone().write(&mut headers));
    assert_eq!(blocks, 2, "the text of the state, and the policy's, which is shared from now on");
    headers.clear();
    let ((), blocks) = counted(|| fields.write(&mut headers));
    assert_eq!(blocks, 1, "the text of the state");

    let (mut parts, ()) = Request::new(()).into_parts();
    let forwarded = "198.51.100.1, 10.0.0.7".parse().expect("a header");
    parts.headers.insert("x-forwarded-for", forwarded);
    let anonymous = RequestView::new(&parts).peer("10.0.0.2".parse().ok());
    let (_, blocks) = counted(|| ready(gate.check(&READ, &anonymous)));
    assert_eq!(blocks, 0, "checking an anonymous caller behind proxies");
}
