use tollgate::{Class, rate_limited};

#[rate_limited(Class::Read, cost = 0)]
async fn list() {}

fn main() {}
