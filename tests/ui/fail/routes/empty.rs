use tollgate::axum::routing::Router;
use tollgate::http::Gate;
use tollgate::{routes};

fn router() -> Router<Gate> {
    routes![]
}

fn main() {}
