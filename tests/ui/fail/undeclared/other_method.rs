use tollgate::axum::routing::Router;

async fn plain() {}

fn main() {
    let _: Router = Router::new().method_not_allowed_fallback(plain);
}
