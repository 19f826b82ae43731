//! A gate on a clock that stands still, and requests to it.

use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Request, Response};
use tollgate::clock::ManualClock;
use tollgate::http::{Checked, Gate, GateBuilder, RequestView};
use tollgate::{Caller, Class, Config, Declaration, Limiter};

/// 6 a minute, burst 2, by principal.
pub(crate) const EXPORT: Declaration<Class> = Class::Export.__declaration();
/// 600 a minute, burst 120, by principal.
pub(crate) const READ: Declaration<Class> = Class::Read.__declaration();
/// The other end of every connection.
pub(crate) const PEER: &str = "192.0.2.7";

pub(crate) fn builder(clock: &Arc<ManualClock>) -> GateBuilder<Class> {
    builder_with(&Config::default(), clock)
}

pub(crate) fn builder_with(config: &Config, clock: &Arc<ManualClock>) -> GateBuilder<Class> {
    let limiter = Limiter::with_clock(config, Arc::clone(clock)).expect("the buckets fit");
    Gate::builder(limiter)
}

pub(crate) fn gate() -> Gate {
    builder(&Arc::default()).build().expect("the catalogue has no custom keys")
}

pub(crate) fn request() -> Parts {
    Request::new(()).into_parts().0
}

pub(crate) fn by(caller: Caller) -> Parts {
    let mut parts = request();
    parts.extensions.insert(caller);
    parts
}

async fn check(gate: &Gate, declaration: &Declaration<Class>, parts: &Parts) -> Checked {
    gate.check(declaration, &RequestView::new(parts).peer(PEER.parse().ok())).await
}

/// The fields of an admission, `RateLimit-Policy | RateLimit`.
pub(crate) async fn admitted(
    gate: &Gate,
    declaration: &Declaration<Class>,
    parts: &Parts,
) -> String {
    match check(gate, declaration, parts).await {
        Checked::Admitted(fields) => {
            let mut headers = HeaderMap::new();
            fields.write(&mut headers);
            let value = |name| {
                headers.get(name).map_or("", |value| value.to_str().expect("fields are text"))
            };
            format!("{} | {}", value("ratelimit-policy"), value("ratelimit"))
        }
        Checked::Refused(response) => panic!("refused with {response:?}"),
    }
}

pub(crate) async fn refused(
    gate: &Gate,
    declaration: &Declaration<Class>,
    parts: &Parts,
) -> Response<Bytes> {
    match check(gate, declaration, parts).await {
        Checked::Refused(response) => *response,
        Checked::Admitted(fields) => panic!("admitted with {fields:?}"),
    }
}
