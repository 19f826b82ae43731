use tollgate::rate_limited;

#[rate_limited(exempt = " ")]
async fn list() {}

fn main() {}
