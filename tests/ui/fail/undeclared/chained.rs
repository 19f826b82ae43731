use tollgate::axum::routing::{MethodRouter, get};
use tollgate::rate_limited;

#[rate_limited(exempt = "for the sake of the example")]
async fn health() {}

async fn plain() {}

fn main() {
    let _: MethodRouter = get(health).post(plain);
}
