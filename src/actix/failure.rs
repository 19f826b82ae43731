//! [`Failure`]: an error of what a middleware wraps, whose answer has the rate-limit fields.

use std::fmt;

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::{Error, HttpResponse, ResponseError};

use super::translate::write;
use crate::http::Fields;

/// An error on its way outwards. It becomes an answer only at the end of that way, so what belongs
/// on the answer has to travel with it.
#[derive(Debug)]
pub(super) struct Failure {
    error: Error,
    fields: Fields,
}

impl Failure {
    /// The same error with these fields on its answer.
    pub(super) fn wrap(error: Error, fields: Fields) -> Error {
        if fields.is_empty() { error } else { Self { error, fields }.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        self.error.as_response_error().status_code()
    }

    fn error_response(&self) -> HttpResponse<BoxBody> {
        let mut response = self.error.error_response();
        write(self.fields.clone(), response.headers_mut());
        response
    }
}
