use tollgate::axum::routing::{Router, get};
use tollgate::{Class, rate_limited};

#[derive(Clone)]
struct App {
    name: String,
}

#[rate_limited(Class::Read)]
async fn list() {}

fn router(app: App) -> Router {
    Router::new().route("/", get(list)).with_state(app)
}

fn main() {}
