use axum::Router;
use axum::extract::{FromRef, State};
use axum::routing::get;
use tollgate::http::Gate;
use tollgate::{Class, rate_limited};

#[derive(Clone, FromRef)]
struct App {
    gate: Gate,
}

#[derive(Clone)]
struct Db;

#[rate_limited(Class::Read)]
async fn list(_: State<Db>) {}

fn router(app: App) -> Router {
    Router::new().route("/", get(list)).with_state(app)
}

fn main() {}
