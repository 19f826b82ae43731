//! Login, the classic place to guess passwords: limited by the client's address.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tollgate::{Action, rate_limited};

use super::problem::Problem;

/// Name and password.
#[derive(Debug, Deserialize)]
pub(super) struct Credentials {
    name: String,
    password: String,
}

/// A token for the `Authorization` header.
#[derive(Debug, Serialize)]
pub(super) struct Token {
    token: &'static str,
}

/// Gives a token for a name and its password.
#[rate_limited(Action::AuthLogin)]
pub(super) async fn login(
    body: Result<Json<Credentials>, JsonRejection>,
) -> Result<Json<Token>, Problem> {
    let Json(Credentials { name, password }) = body?;
    match (name.as_str(), password.as_str()) {
        ("alice", "wonderland") => Ok(Json(Token { token: "alice" })),
        ("bob", "builder") => Ok(Json(Token { token: "bob" })),
        _ => Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "invalid_credentials",
            "the name or the password is wrong",
        )),
    }
}
