//! Who calls: a bearer token becomes a [`Viewer`].
//!
//! This layer stands in front of the gate, because most limits are kept per caller. What a viewer
//! may see is decided later, in the handlers, where a refused request never arrives.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tollgate::Caller;
use tollgate::http::FailedCredentials;

use super::metrics::Metrics;
use super::problem::Problem;

/// The caller of a request, as the handlers and the gate find it in the request's extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Viewer {
    Agent(&'static str),
    Anonymous,
    Device { user: &'static str, device: &'static str },
    User(&'static str),
}

impl Viewer {
    /// Who the others of a channel see.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Agent(name) | Self::User(name) | Self::Device { user: name, .. } => name,
            Self::Anonymous => "anonymous",
        }
    }
}

/// Whose buckets the requests of a viewer use.
impl From<Viewer> for Caller {
    fn from(viewer: Viewer) -> Self {
        match viewer {
            Viewer::Agent(name) => Self::principal(name).agent(name),
            Viewer::Anonymous => Self::anonymous(),
            Viewer::Device { user, device } => Self::principal(user).human(user).device(device),
            Viewer::User(name) => Self::principal(name).human(name),
        }
    }
}

/// Puts the [`Viewer`] into the request, or answers 401 to credentials that are no good.
///
/// The answer is marked as a failure, which the layer around this one counts; while an address has
/// failed too often, nobody who comes from it gets this far.
pub(super) async fn authenticate(
    State(metrics): State<Arc<Metrics>>,
    mut request: Request,
    next: Next,
) -> Response {
    metrics.count_authentication();
    match viewer(request.headers()) {
        Ok(viewer) => {
            request.extensions_mut().insert(viewer);
            next.run(request).await
        }
        Err((code, detail)) => {
            let mut response = Problem::new(StatusCode::UNAUTHORIZED, code, detail).into_response();
            response.extensions_mut().insert(FailedCredentials::new(code));
            response
        }
    }
}

/// The viewer, or the code and the text of what is wrong.
fn viewer(headers: &HeaderMap) -> Result<Viewer, (&'static str, &'static str)> {
    let Some(credentials) = headers.get(header::AUTHORIZATION) else {
        return Ok(Viewer::Anonymous);
    };
    match credentials.to_str().ok().and_then(|text| text.strip_prefix("Bearer ")) {
        Some("agent-1") => Ok(Viewer::Agent("agent-1")),
        Some("alice") => Ok(Viewer::User("alice")),
        Some("bob") => Ok(Viewer::User("bob")),
        Some("device-1") => Ok(Viewer::Device { user: "alice", device: "device-1" }),
        Some("expired") => Err(("token_expired", "the token has expired")),
        _ => Err(("invalid_token", "the credentials are not a token of this service")),
    }
}
