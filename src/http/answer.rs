//! [`Refusal`]: why a request is refused, and the answer that says so.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http::header::HeaderName;
use http::request::Parts;

use super::fields::retry_after;
use super::problem::{Kind, Problem, correlation_id};
use super::stand_in::Decision;
use crate::catalogue::Catalogue;

/// Why a request is refused, for a function that answers in its own way.
///
/// ```
/// use tollgate::Class;
/// use tollgate::http::Refusal;
///
/// // Given to `GateBuilder::answers`: the usual answer with one more header.
/// fn answer(refusal: &Refusal<'_, Class>) -> http::Response<bytes::Bytes> {
///     let mut response = refusal.response();
///     response.headers_mut().insert("x-docs", http::HeaderValue::from_static("/limits"));
///     response
/// }
/// ```
pub struct Refusal<'a, C: Catalogue> {
    kind: RefusalKind,
    decisions: &'a [Decision<C>],
    request: &'a Parts,
    request_id: &'a HeaderName,
}

/// The reasons for a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalKind {
    /// The store cannot be asked, and the class is closed then: 503.
    BackendUnavailable,
    /// The limit needs an identity that the caller does not have: 401.
    CallerUnresolved,
    /// A quota is used up: 429.
    QuotaExceeded,
    /// The call costs more than its bucket ever holds, which is a mistake of the program: 500.
    Unservable,
}

impl<'a, C: Catalogue> Refusal<'a, C> {
    pub(super) fn new(
        kind: RefusalKind,
        decisions: &'a [Decision<C>],
        request: &'a Parts,
        request_id: &'a HeaderName,
    ) -> Self {
        Self { kind, decisions, request, request_id }
    }

    /// The reason.
    #[must_use]
    pub fn kind(&self) -> RefusalKind {
        self.kind
    }

    /// The decisions about the request, in the order of its limits; none when it did not come to one.
    #[must_use]
    pub fn decisions(&self) -> &'a [Decision<C>] {
        self.decisions
    }

    /// The head of the request. An answer that depends on more than its headers tells what a
    /// refusal should not.
    #[must_use]
    pub fn request(&self) -> &'a Parts {
        self.request
    }

    /// The id of the request, when it came with one that is fit to be repeated.
    #[must_use]
    pub fn correlation_id(&self) -> Option<&'a str> {
        correlation_id(&self.request.headers, self.request_id)
    }

    /// The seconds to wait before the next attempt, at least 1, when waiting helps.
    #[must_use]
    pub fn retry_after(&self) -> Option<u64> {
        let waits = self.decisions.iter().filter_map(Decision::retry_after);
        waits.max().filter(|_| self.kind == RefusalKind::QuotaExceeded).map(retry_after)
    }

    /// The usual answer: a problem document. The gate adds the rate-limit fields to whatever
    /// answer is given.
    #[must_use]
    pub fn response(&self) -> Response<Bytes> {
        let refused = self.decisions.iter().filter(|decision| !decision.permitted());
        let violated: Vec<&str> =
            refused.map(|decision| decision.class().definition().name).collect();
        let kind = match self.kind {
            RefusalKind::BackendUnavailable => Kind::BackendUnavailable,
            RefusalKind::CallerUnresolved => Kind::CallerUnresolved,
            RefusalKind::QuotaExceeded => {
                let wait = self.retry_after().unwrap_or_else(|| retry_after(Duration::ZERO));
                Kind::QuotaExceeded { retry_after: wait }
            }
            RefusalKind::Unservable => Kind::Unservable,
        };
        let names_policies = self.kind == RefusalKind::QuotaExceeded;
        let violated = if names_policies { violated.as_slice() } else { &[] };
        Problem { kind, correlation_id: self.correlation_id(), violated }.response()
    }
}

/// Names nothing of the request, which may hold credentials.
impl<C: Catalogue> fmt::Debug for Refusal<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refusal").field("kind", &self.kind).finish_non_exhaustive()
    }
}

type Function<C> = dyn Fn(&Refusal<'_, C>) -> Response<Bytes> + Send + Sync;

/// How refusals are answered: as usual, or by the user's function.
pub(super) struct Answers<C: Catalogue>(pub(super) Option<Box<Function<C>>>);

impl<C: Catalogue> Answers<C> {
    pub(super) fn answer(&self, refusal: &Refusal<'_, C>) -> Response<Bytes> {
        self.0.as_ref().map_or_else(|| refusal.response(), |function| function(refusal))
    }
}
