use tollgate::rate_limited;

#[rate_limited("rl.public_auth")]
async fn list() {}

fn main() {}
