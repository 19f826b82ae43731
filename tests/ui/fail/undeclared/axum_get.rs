use tollgate::axum::routing::Router;

async fn plain() {}

fn main() {
    let _: Router = Router::new().route("/", axum::routing::get(plain));
}
