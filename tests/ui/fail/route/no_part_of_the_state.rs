use axum::extract::{FromRef, State};
use tollgate::axum::routing::{Router, get};
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

fn router() -> Router<App> {
    Router::<App>::new().route("/", get(list))
}

fn main() {}
