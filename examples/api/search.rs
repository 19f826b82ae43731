//! Search over all channels.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::{Extension, Json};
use serde::Deserialize;
use tollgate::{Action, rate_limited};

use super::auth::Viewer;
use super::chat::{Chat, Message};
use super::problem::Problem;

/// What a caller looks for.
#[derive(Debug, Deserialize)]
pub(super) struct Search {
    q: String,
}

/// The messages that contain the text `q`.
#[rate_limited(Action::Search)]
pub(super) async fn search(
    State(chat): State<Arc<Chat>>,
    Extension(viewer): Extension<Viewer>,
    query: Result<Query<Search>, QueryRejection>,
) -> Result<Json<Vec<Message>>, Problem> {
    let Query(Search { q }) = query?;
    Ok(Json(chat.search(&q, viewer)))
}
