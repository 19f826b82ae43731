use axum::extract::FromRef;
use tollgate::axum::routing::{Router, get};
use tollgate::http::Gate;
use tollgate::{Class, rate_limited};

#[derive(Clone, FromRef)]
struct App {
    gate: Gate,
}

#[rate_limited(Class::Read)]
async fn list(_limit: u32) {}

fn router(app: App) -> Router {
    Router::new().route("/", get(list)).with_state(app)
}

fn main() {}
