//! [`CredentialGuard`]: failed credentials count against the client's address.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Response, StatusCode};

use super::fields::Fields;
use super::gate::{Checked, Gate};
use super::ruling::Ruling;
use super::view::RequestView;
use crate::Class;
use crate::caller::Subject;
use crate::catalogue::Catalogue;
use crate::decision::Decision;
use crate::decision::Outcome::QuotaExceeded;

/// What an authenticator puts into the extensions of its 401 when it was given credentials that are
/// no good.
///
/// ```
/// use tollgate::http::FailedCredentials;
///
/// let mut response = http::Response::new("no such token");
/// *response.status_mut() = http::StatusCode::UNAUTHORIZED;
/// response.extensions_mut().insert(FailedCredentials::new("invalid_token"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedCredentials {
    code: Cow<'static, str>,
}

impl FailedCredentials {
    /// Credentials that failed for a reason, as in `invalid_token`. The reasons `token_expired` and
    /// `use_dpop_nonce` are no guesses and do not count.
    #[must_use]
    pub fn new(code: impl Into<Cow<'static, str>>) -> Self {
        Self { code: code.into() }
    }

    /// The reason.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Whether they may have been a guess.
    fn counts(&self) -> bool {
        !matches!(self.code(), "token_expired" | "use_dpop_nonce")
    }
}

type Carries = dyn Fn(&RequestView<'_>) -> bool + Send + Sync;

/// Keeps an authenticator from being asked by an address that has failed too often.
///
/// Each failure takes one token of a class from the bucket of the client's address. While that
/// bucket is empty, requests with credentials are refused before the authenticator sees them, the
/// good ones too: an answer would tell which are good. Requests that are being authenticated at the
/// moment when the bucket becomes empty are still answered, so there may be as many failures more
/// as there are requests in flight.
///
/// This is for authentication that is written by hand; around an authenticating layer stands
/// [`CredentialsLayer`](crate::tower::CredentialsLayer).
///
/// ```
/// use tollgate::http::{CredentialGuard, FailedCredentials, RequestView};
///
/// # fn verify(_: &http::HeaderMap) -> bool { false }
/// async fn authenticate(
///     guard: &CredentialGuard,
///     request: RequestView<'_>,
/// ) -> Result<(), http::Response<bytes::Bytes>> {
///     let attempt = guard.admit(&request).await?;
///     if verify(request.headers()) {
///         return Ok(());
///     }
///     let mut refusal = http::Response::new(bytes::Bytes::new());
///     *refusal.status_mut() = http::StatusCode::UNAUTHORIZED;
///     refusal.extensions_mut().insert(FailedCredentials::new("invalid_token"));
///     attempt.settle(&mut refusal).await;
///     Err(refusal)
/// }
/// ```
pub struct CredentialGuard<C: Catalogue = Class> {
    gate: Gate<C>,
    class: C,
    carries: Arc<Carries>,
}

/// One request that is being authenticated.
#[must_use = "a failure counts only when the attempt is settled"]
pub struct Attempt<C: Catalogue = Class> {
    gate: Gate<C>,
    class: C,
    client: Subject<'static>,
    /// Whether the attempt was counted as one that a class which only watches would have refused.
    is_counted: bool,
}

impl<C: Catalogue> CredentialGuard<C> {
    /// Counts failures in a class, whatever it is keyed by otherwise: `rl.public_auth` in the
    /// reference catalogue.
    #[must_use]
    pub fn new(gate: Gate<C>, class: C) -> Self {
        let carries =
            Arc::new(|request: &RequestView<'_>| request.headers().contains_key(AUTHORIZATION));
        Self { gate, class, carries }
    }

    /// Says which requests have credentials; without this, those with an `Authorization` header.
    #[must_use]
    pub fn credentials(
        self,
        carries: impl Fn(&RequestView<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { carries: Arc::new(carries), ..self }
    }

    /// Decides whether the authenticator may be asked. This takes nothing.
    ///
    /// # Errors
    ///
    /// With the whole answer, when the request has credentials and the client's bucket is empty.
    pub async fn admit(&self, request: &RequestView<'_>) -> Result<Attempt<C>, Response<Bytes>> {
        let inner = Arc::clone(&self.gate.inner());
        let client = inner.resolver.client(request);
        let (gate, class) = (self.gate.clone(), self.class);
        let mut attempt = Attempt { gate, class, client, is_counted: false };
        if !(self.carries)(request) {
            return Ok(attempt);
        }
        let limit = inner.limiter.class(self.class);
        let is_left = |seen: Decision<C>| seen.permitted() && seen.outcome() != QuotaExceeded;
        if limit.peek(&attempt.client).await.is_ok_and(is_left) {
            return Ok(attempt);
        }
        // Asked for a token that is not there, the limiter counts a refusal as any other.
        let acquire = limit.acquire(&attempt.client);
        let receipt = acquire.receipt();
        let admission = match acquire.await {
            Ok(decision) => {
                attempt.is_counted = decision.outcome() == QuotaExceeded;
                inner.conclude(&[attempt.ruling(&decision)], [receipt], request)
            }
            Err(error) => inner.unservable(self.class.definition().name, Some(error), request),
        };
        match admission.checked {
            Checked::Admitted(_) => {
                // It has come just now, and only a failure takes it.
                self.gate.give_back(admission.receipts);
                Ok(attempt)
            }
            Checked::Refused(refusal) => Err(*refusal),
        }
    }
}

impl<C: Catalogue> Attempt<C> {
    /// Counts the failure that a response speaks of, and puts the fields of the class on it.
    ///
    /// A response counts when its status is 401, it is marked with [`FailedCredentials`] for a
    /// reason that counts, and it has not been charged to the class already, as the answer of a
    /// handler with that class has. The mark is taken off.
    pub async fn settle<B>(self, response: &mut Response<B>) {
        let mark = response.extensions_mut().remove::<FailedCredentials>();
        let fields = self.count(response.status(), mark, response.headers()).await;
        fields.write(response.headers_mut());
    }

    /// Counts the failure that a response with this status, mark and head speaks of.
    pub(crate) async fn count(
        self,
        status: StatusCode,
        mark: Option<FailedCredentials>,
        headers: &HeaderMap,
    ) -> Fields {
        let failed = status == StatusCode::UNAUTHORIZED && mark.is_some_and(|mark| mark.counts());
        if !failed || Fields::are_of(self.class.definition().name, headers) {
            return Fields::default();
        }
        self.failed().await
    }

    /// Takes one token for a failure; the fields say what is left.
    pub async fn failed(self) -> Fields {
        if self.is_counted {
            return Fields::default();
        }
        let inner = Arc::clone(&self.gate.inner());
        match inner.limiter.acquire(self.class, &self.client).await {
            Ok(decision) => inner.fields(&[self.ruling(&decision)]),
            // Only a closed limiter has no answer for a cost of one.
            Err(_) => Fields::default(),
        }
    }

    fn ruling<'a>(&self, decision: &'a Decision<C>) -> Ruling<'a, C> {
        Ruling {
            name: self.class.definition().name,
            class: Some(self.class),
            key_kind: self.client.kind(),
            verdict: decision.verdict(),
        }
    }
}

impl<C: Catalogue> Clone for CredentialGuard<C> {
    fn clone(&self) -> Self {
        let Self { gate, class, carries } = self;
        Self { gate: gate.clone(), class: *class, carries: Arc::clone(carries) }
    }
}

impl<C: Catalogue> fmt::Debug for CredentialGuard<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CredentialGuard").field("class", &self.class).finish_non_exhaustive()
    }
}

impl<C: Catalogue> fmt::Debug for Attempt<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt").field("class", &self.class).finish_non_exhaustive()
    }
}
