use tollgate::{Class, rate_limited};

#[rate_limited(Class::Read, cost = 2, cost = 3)]
async fn list() {}

fn main() {}
