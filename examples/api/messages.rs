//! The messages of a channel.

use std::sync::Arc;

use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::Deserialize;
use tollgate::{Action, rate_limited};

use super::auth::Viewer;
use super::chat::{Chat, Message};
use super::problem::Problem;

/// What a caller posts.
#[derive(Debug, Deserialize)]
pub(super) struct NewMessage {
    text: String,
}

/// The messages of a channel, oldest first.
#[rate_limited(Action::MessageList)]
pub(super) async fn list(
    State(chat): State<Arc<Chat>>,
    Extension(viewer): Extension<Viewer>,
    path: Result<Path<String>, PathRejection>,
) -> Result<Json<Vec<Message>>, Problem> {
    let Path(channel) = path?;
    chat.messages(&channel, viewer).map(Json)
}

/// Posts a message.
#[rate_limited(Action::MessageSend)]
pub(super) async fn send(
    State(chat): State<Arc<Chat>>,
    Extension(viewer): Extension<Viewer>,
    path: Result<Path<String>, PathRejection>,
    body: Result<Json<NewMessage>, JsonRejection>,
) -> Result<(StatusCode, Json<Message>), Problem> {
    let Path(channel) = path?;
    let Json(NewMessage { text }) = body?;
    let message = chat.post(&channel, viewer, text)?;
    Ok((StatusCode::CREATED, Json(message)))
}
