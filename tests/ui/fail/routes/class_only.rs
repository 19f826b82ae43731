use tollgate::axum::routing::Router;
use tollgate::http::Gate;
use tollgate::{Action, Class, rate_limited, routes};

#[rate_limited(Action::MessageList)]
async fn list() {}

#[rate_limited(Class::Read)]
async fn search() {}

fn router() -> Router<Gate> {
    routes![list, search, ..]
}

fn main() {}
