use tollgate::axum::routing::{MethodRouter, any};

async fn plain() {}

fn main() {
    let _: MethodRouter = any(plain);
}
