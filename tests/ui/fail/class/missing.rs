use tollgate::rate_limited;

#[rate_limited]
async fn list() {}

fn main() {}
