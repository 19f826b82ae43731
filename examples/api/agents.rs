//! Runs of agents, limited per agent.

use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::Serialize;
use tollgate::{Action, rate_limited};

use super::auth::Viewer;
use super::problem::Problem;

/// A run that has been started.
#[derive(Debug, Serialize)]
pub(super) struct Run {
    agent: &'static str,
    status: &'static str,
}

/// Starts a run of the agent that asks.
#[rate_limited(Action::AgentRunCreate)]
pub(super) async fn start(
    Extension(viewer): Extension<Viewer>,
) -> Result<(StatusCode, Json<Run>), Problem> {
    match viewer {
        Viewer::Agent(agent) => Ok((StatusCode::CREATED, Json(Run { agent, status: "running" }))),
        _ => Err(Problem::new(StatusCode::FORBIDDEN, "not_an_agent", "only agents have runs")),
    }
}
