use tollgate::{Class, rate_limited};

#[rate_limited(Class::Typing)]
async fn list() {}

fn main() {}
