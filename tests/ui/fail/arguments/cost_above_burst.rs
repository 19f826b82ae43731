use tollgate::{Class, rate_limited};

#[rate_limited(Class::Export, cost = 3)]
async fn export() {}

fn main() {}
