//! Who calls: a bearer token becomes a [`Viewer`].
//!
//! This layer stands in front of the gate, because most limits are kept per principal. What a viewer
//! may see is decided later, in the handlers, where a refused request never arrives.

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::problem::Problem;

/// The caller of a request, as every handler and the gate find it in the request's extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Viewer {
    Anonymous,
    User(&'static str),
}

impl Viewer {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Anonymous => "anonymous",
            Self::User(name) => name,
        }
    }
}

/// Puts the [`Viewer`] into the request, or answers 401 to credentials that are no good.
pub(super) async fn authenticate(mut request: Request, next: Next) -> Response {
    match viewer(request.headers()) {
        Ok(viewer) => {
            request.extensions_mut().insert(viewer);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    }
}

fn viewer(headers: &HeaderMap) -> Result<Viewer, Problem> {
    let Some(credentials) = headers.get(header::AUTHORIZATION) else {
        return Ok(Viewer::Anonymous);
    };
    match credentials.to_str().ok().and_then(|text| text.strip_prefix("Bearer ")) {
        Some("alice") => Ok(Viewer::User("alice")),
        Some("bob") => Ok(Viewer::User("bob")),
        Some("expired") => Err(unauthorized("token_expired", "the token has expired")),
        _ => Err(unauthorized("invalid_token", "the credentials are not a token of this service")),
    }
}

fn unauthorized(code: &'static str, detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, code, detail)
}
