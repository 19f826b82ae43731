use tollgate::axum::routing::{MethodRouter, get};

async fn plain() {}

fn main() {
    let _: MethodRouter = get(|| async {});
}
