use tollgate::{Class, rate_limited};

#[rate_limited(Class::Read, cost =)]
async fn list() {}

fn main() {}
