use tollgate::rate_limited;

#[rate_limited("message.list")]
async fn list() {}

fn main() {}
