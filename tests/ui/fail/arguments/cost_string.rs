use tollgate::{Class, rate_limited};

#[rate_limited(Class::Read, cost = "2")]
async fn list() {}

fn main() {}
