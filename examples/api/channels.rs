//! The channels themselves.

use std::sync::Arc;

use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{Path, State};
use axum::{Extension, Json};
use serde::Deserialize;
use tollgate::{Action, rate_limited};

use super::auth::Viewer;
use super::chat::{Channel, Chat};
use super::problem::Problem;

/// What a caller may change.
#[derive(Debug, Deserialize)]
pub(super) struct Changes {
    topic: String,
}

/// Changes the topic of a channel.
#[rate_limited(Action::ChannelUpdate)]
pub(super) async fn update(
    State(chat): State<Arc<Chat>>,
    Extension(viewer): Extension<Viewer>,
    path: Result<Path<String>, PathRejection>,
    body: Result<Json<Changes>, JsonRejection>,
) -> Result<Json<Channel>, Problem> {
    let Path(channel) = path?;
    let Json(Changes { topic }) = body?;
    chat.set_topic(&channel, viewer, topic).map(Json)
}
