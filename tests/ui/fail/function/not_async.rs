use tollgate::{Class, rate_limited};

#[rate_limited(Class::Read)]
fn list() {}

fn main() {}
