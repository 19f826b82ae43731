use tollgate::{Class, rate_limited};

#[rate_limited(Class::Read)]
#[rate_limited(Class::Export)]
async fn list() {}

fn main() {}
