use tollgate::rate_limited;

#[rate_limited(Read)]
async fn list() {}

fn main() {}
