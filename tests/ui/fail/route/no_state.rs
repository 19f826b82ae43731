use tollgate::axum::routing::{Router, get};
use tollgate::{Class, rate_limited};

#[rate_limited(Class::Read)]
async fn list() {}

fn router() -> Router {
    Router::new().route("/", get(list))
}

fn main() {}
