//! Bearer tokens: who they are of goes into the request, and what is no token is marked as a failure.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{AUTHORIZATION, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, HttpResponse};
use tollgate::Caller;
use tollgate::http::FailedCredentials;

/// Lets anonymous requests pass, and those of alice and bob.
pub(crate) async fn authenticate(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    match request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes) {
        None => {}
        Some(b"Bearer alice") => {
            request.extensions_mut().insert(Caller::principal("alice"));
        }
        Some(b"Bearer bob") => {
            request.extensions_mut().insert(Caller::principal("bob"));
        }
        Some(_) => {
            let mut response = HttpResponse::Unauthorized().finish();
            response.extensions_mut().insert(FailedCredentials::new("invalid_token"));
            return Ok(request.into_response(response));
        }
    }
    Ok(next.call(request).await?.map_into_boxed_body())
}
