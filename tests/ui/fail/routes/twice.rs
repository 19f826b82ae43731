use tollgate::axum::routing::Router;
use tollgate::http::Gate;
use tollgate::{Action, rate_limited, routes};

#[rate_limited(Action::MessageList)]
async fn list() {}

fn router() -> Router<Gate> {
    routes![list, list, ..]
}

fn main() {}
