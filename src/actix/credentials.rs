//! [`Credentials`]: the guard of credentials around what authenticates.

use std::fmt;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform};
use actix_web::{Error, HttpResponse};
use http::StatusCode;

use super::failure::Failure;
use super::translate::{Head, answer, fields_of, write};
use crate::Class;
use crate::catalogue::Catalogue;
use crate::http::{Attempt, CredentialGuard, FailedCredentials, Fields};

/// Puts a [`CredentialGuard`] around an authenticator and what is behind it.
///
/// The authenticator marks its 401 with [`FailedCredentials`] in the extensions of the response, or
/// of the response that its error makes; a 401 without the mark, such as that of a handler for
/// logins, does not count here. The guard stands outside of the authenticator: it wraps later.
///
/// ```
/// use tollgate::actix::Credentials;
/// use tollgate::http::{CredentialGuard, Gate};
/// use tollgate::{Class, Config, Limiter};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let config = Config::<Class>::default();
/// # let gate = Gate::builder(Limiter::new(&config)?).build()?;
/// let middleware = Credentials::new(CredentialGuard::new(gate, Class::PublicAuth));
/// # Ok(())
/// # }
/// ```
pub struct Credentials<C: Catalogue = Class> {
    guard: CredentialGuard<C>,
}

/// The service that a [`Credentials`] makes of another.
pub struct CredentialsService<S, C: Catalogue = Class> {
    inner: Rc<S>,
    guard: CredentialGuard<C>,
}

impl<C: Catalogue> Credentials<C> {
    /// A middleware that asks this guard.
    #[must_use]
    pub fn new(guard: CredentialGuard<C>) -> Self {
        Self { guard }
    }
}

impl<S, B, C> Service<ServiceRequest> for CredentialsService<S, C>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
    C: Catalogue,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>>>>;

    fn poll_ready(&self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&self, request: ServiceRequest) -> Self::Future {
        Box::pin(serve(self.guard.clone(), Rc::clone(&self.inner), request))
    }
}

async fn serve<S, B, C>(
    guard: CredentialGuard<C>,
    inner: Rc<S>,
    request: ServiceRequest,
) -> Result<ServiceResponse<EitherBody<B>>, Error>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error>,
    C: Catalogue,
{
    let head = Head::new(&request, None);
    let attempt = match guard.admit(&head.view()).await {
        Ok(attempt) => attempt,
        Err(refusal) => return Ok(request.into_response(answer(refusal)).map_into_right_body()),
    };
    match inner.call(request).await {
        Ok(mut response) => {
            let fields = settle(attempt, response.response_mut()).await;
            write(fields, response.headers_mut());
            Ok(response.map_into_left_body())
        }
        Err(error) => {
            let fields = settle(attempt, &mut error.error_response()).await;
            Err(Failure::wrap(error, fields))
        }
    }
}

/// Counts the failure that a response speaks of; the fields say what is left.
async fn settle<B, C: Catalogue>(attempt: Attempt<C>, response: &mut HttpResponse<B>) -> Fields {
    let mark = response.extensions_mut().remove::<FailedCredentials>();
    let status = StatusCode::from_u16(response.status().as_u16()).unwrap_or_default();
    attempt.count(status, mark, &fields_of(response.headers())).await
}

impl<S, B, C> Transform<S, ServiceRequest> for Credentials<C>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
    C: Catalogue,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = Error;
    type Transform = CredentialsService<S, C>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, inner: S) -> Self::Future {
        ready(Ok(CredentialsService { inner: Rc::new(inner), guard: self.guard.clone() }))
    }
}

impl<C: Catalogue> Clone for Credentials<C> {
    fn clone(&self) -> Self {
        Self { guard: self.guard.clone() }
    }
}

impl<C: Catalogue> fmt::Debug for Credentials<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("guard", &self.guard).finish_non_exhaustive()
    }
}

impl<S, C: Catalogue> fmt::Debug for CredentialsService<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CredentialsService").field("guard", &self.guard).finish_non_exhaustive()
    }
}
