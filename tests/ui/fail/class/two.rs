use tollgate::{Class, rate_limited};

#[rate_limited(Class::Read, Class::Export)]
async fn list() {}

fn main() {}
