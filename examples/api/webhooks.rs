//! Incoming webhooks: whoever knows the id may post, so the limit is the webhook's own.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::StringRejection;
use axum::http::StatusCode;
use tollgate::{Action, rate_limited};

use super::auth::Viewer;
use super::chat::{Chat, Message};
use super::problem::Problem;

/// Posts the body, as it is, to the channel `general`.
#[rate_limited(Action::WebhookReceive)]
pub(super) async fn receive(
    State(chat): State<Arc<Chat>>,
    text: Result<String, StringRejection>,
) -> Result<(StatusCode, Json<Message>), Problem> {
    let message = chat.post("general", Viewer::Anonymous, text?)?;
    Ok((StatusCode::CREATED, Json(message)))
}
