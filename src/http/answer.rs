//! [`Refusal`]: why a request is refused, and the answer that says so.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http::header::HeaderName;

use super::fields::retry_after;
use super::grpc;
use super::problem::{Kind, Problem, correlation_id};
use super::ruling::Ruling;
use super::view::{Head, RequestView};

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
pub struct Refusal<'a, C> {
    kind: RefusalKind,
    rulings: &'a [Ruling<'a, C>],
    head: Head<'a>,
    request_id: &'a HeaderName,
}

/// The reasons for a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalKind {
    /// The limit cannot be decided, and is closed then: 503.
    BackendUnavailable,
    /// The limit needs an identity that the caller does not have: 401.
    CallerUnresolved,
    /// A quota is used up: 429.
    QuotaExceeded,
    /// The call costs more than its bucket ever holds, which is a mistake of the program: 500.
    Unservable,
}

impl<'a, C: Copy> Refusal<'a, C> {
    pub(super) fn new(
        kind: RefusalKind,
        rulings: &'a [Ruling<'a, C>],
        head: Head<'a>,
        request_id: &'a HeaderName,
    ) -> Self {
        Self { kind, rulings, head, request_id }
    }

    /// The reason.
    #[must_use]
    pub fn kind(&self) -> RefusalKind {
        self.kind
    }

    /// What each limit said, in their order; nothing when it did not come to a decision.
    #[must_use]
    pub fn rulings(&self) -> &'a [Ruling<'a, C>] {
        self.rulings
    }

    /// The request without the parameters of its path, to choose a language or a format by. An answer that depends on
    /// what the request asks for tells what a refusal should not.
    #[must_use]
    pub fn request(&self) -> RequestView<'a> {
        RequestView::of_head(self.head)
    }

    /// The id of the request, when it came with one that is fit to be repeated.
    #[must_use]
    pub fn correlation_id(&self) -> Option<&'a str> {
        correlation_id(self.head.headers, self.request_id)
    }

    /// The seconds to wait before the next attempt, at least 1; only when a quota is used up.
    #[must_use]
    pub fn retry_after(&self) -> Option<u64> {
        if self.kind != RefusalKind::QuotaExceeded {
            return None;
        }
        let waits = self.refused().filter_map(Ruling::retry_after);
        Some(retry_after(waits.max().unwrap_or(Duration::ZERO)))
    }

    /// The usual answer: a problem document, or, to a gRPC request, a status with when to try again.
    /// The gate adds the rate-limit fields to whatever answer is given.
    #[must_use]
    pub fn response(&self) -> Response<Bytes> {
        let kind = match self.kind {
            RefusalKind::BackendUnavailable => Kind::BackendUnavailable,
            RefusalKind::CallerUnresolved => Kind::CallerUnresolved,
            RefusalKind::QuotaExceeded => {
                Kind::QuotaExceeded { retry_after: self.retry_after().unwrap_or(1) }
            }
            RefusalKind::Unservable => Kind::Unservable,
        };
        if grpc::is_spoken(self.head.headers) {
            return grpc::status(kind);
        }
        let violated: Vec<&str> = match self.kind {
            RefusalKind::QuotaExceeded => self.refused().map(Ruling::name).collect(),
            _ => Vec::new(),
        };
        Problem { kind, correlation_id: self.correlation_id(), violated: &violated }.response()
    }

    fn refused(&self) -> impl Iterator<Item = &'a Ruling<'a, C>> {
        self.rulings.iter().filter(|ruling| !ruling.permitted())
    }
}

/// Names nothing of the request, which may hold credentials.
impl<C> fmt::Debug for Refusal<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refusal").field("kind", &self.kind).finish_non_exhaustive()
    }
}

type Function<C> = dyn Fn(&Refusal<'_, C>) -> Response<Bytes> + Send + Sync;

/// How refusals are answered: as usual, or by the user's function.
#[derive(Clone)]
pub(super) struct Answers<C>(pub(super) Option<Arc<Function<C>>>);

impl<C: Copy> Answers<C> {
    pub(super) fn answer(&self, refusal: &Refusal<'_, C>) -> Response<Bytes> {
        self.0.as_ref().map_or_else(|| refusal.response(), |function| function(refusal))
    }
}
