//! [`CredentialsLayer`]: the guard of credentials around an authenticating service.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use tower_layer::Layer;
use tower_service::Service;

use super::view;
use crate::Class;
use crate::catalogue::Catalogue;
use crate::http::CredentialGuard;

/// Puts a [`CredentialGuard`] around an authenticator and what is behind it.
///
/// The authenticator marks its 401 with [`FailedCredentials`](crate::http::FailedCredentials); a
/// 401 without the mark, such as that of a handler for logins, does not count here.
///
/// ```
/// use tollgate::http::{CredentialGuard, Gate};
/// use tollgate::tower::CredentialsLayer;
/// use tollgate::{Class, Config, Limiter};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let config = Config::<Class>::default();
/// # let gate = Gate::builder(Limiter::new(&config)?).build()?;
/// let layer = CredentialsLayer::new(CredentialGuard::new(gate, Class::PublicAuth));
/// # Ok(())
/// # }
/// ```
pub struct CredentialsLayer<C: Catalogue = Class> {
    guard: CredentialGuard<C>,
}

/// The service that a [`CredentialsLayer`] makes of another.
pub struct Credentials<S, C: Catalogue = Class> {
    inner: S,
    guard: CredentialGuard<C>,
}

impl<C: Catalogue> CredentialsLayer<C> {
    /// A layer that asks this guard.
    #[must_use]
    pub fn new(guard: CredentialGuard<C>) -> Self {
        Self { guard }
    }
}

impl<S, C, B, R> Service<Request<B>> for Credentials<S, C>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    C: Catalogue,
    B: Send + 'static,
    R: From<Bytes> + Send,
{
    type Response = Response<R>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The service that was polled is the one that is ready, and its clone need not be.
        let waiting = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, waiting);
        let guard = self.guard.clone();
        Box::pin(async move {
            let attempt = match guard.admit(&view(&request)).await {
                Ok(attempt) => attempt,
                Err(refusal) => return Ok(refusal.map(R::from)),
            };
            let mut response = inner.call(request).await?;
            attempt.settle(&mut response).await;
            Ok(response)
        })
    }
}

impl<S, C: Catalogue> Layer<S> for CredentialsLayer<C> {
    type Service = Credentials<S, C>;

    fn layer(&self, inner: S) -> Credentials<S, C> {
        Credentials { inner, guard: self.guard.clone() }
    }
}

impl<C: Catalogue> Clone for CredentialsLayer<C> {
    fn clone(&self) -> Self {
        Self { guard: self.guard.clone() }
    }
}

impl<S: Clone, C: Catalogue> Clone for Credentials<S, C> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), guard: self.guard.clone() }
    }
}

impl<C: Catalogue> fmt::Debug for CredentialsLayer<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CredentialsLayer").field("guard", &self.guard).finish_non_exhaustive()
    }
}

impl<S, C: Catalogue> fmt::Debug for Credentials<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("guard", &self.guard).finish_non_exhaustive()
    }
}
