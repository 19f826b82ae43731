use tollgate::{Class, rate_limited};

#[rate_limited(Class::)]
async fn list() {}

fn main() {}
