//! Exports, the most expensive thing this API does.

use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::Serialize;
use tollgate::{Class, rate_limited};

use super::auth::Viewer;

/// An export that has been ordered.
#[derive(Debug, Serialize)]
pub(super) struct Export {
    requested_by: &'static str,
    status: &'static str,
}

/// Orders an export of everything that the caller may see.
#[rate_limited(Class::Export)]
pub(super) async fn create(Extension(viewer): Extension<Viewer>) -> (StatusCode, Json<Export>) {
    let export = Export { requested_by: viewer.name(), status: "queued" };
    (StatusCode::ACCEPTED, Json(export))
}
