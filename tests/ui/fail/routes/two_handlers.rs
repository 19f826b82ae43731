use tollgate::axum::routing::Router;
use tollgate::http::Gate;
use tollgate::{Action, rate_limited, routes};

#[rate_limited(Action::MessageList)]
async fn list() {}

#[rate_limited(Action::MessageList)]
async fn list_again() {}

fn router() -> Router<Gate> {
    routes![list, list_again, ..]
}

fn main() {}
