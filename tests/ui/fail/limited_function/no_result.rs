use tollgate::{Class, Limiter, rate_limited};

#[rate_limited(Class::Export, limiter = limiter, key = name)]
async fn export(limiter: &Limiter, name: &str) {}

fn main() {}
