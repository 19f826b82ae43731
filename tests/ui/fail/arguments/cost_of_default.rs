use tollgate::rate_limited;

#[rate_limited(default, cost = 2)]
async fn list() {}

fn main() {}
