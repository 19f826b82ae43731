use tollgate::rate_limited;

#[rate_limited(per_minute = 30, burst = 10)]
async fn list() {}

fn main() {}
