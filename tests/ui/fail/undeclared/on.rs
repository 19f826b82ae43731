use tollgate::axum::routing::{MethodRouter, on};

async fn plain() {}

fn main() {
    let _: MethodRouter = on(axum::routing::MethodFilter::GET, plain);
}
