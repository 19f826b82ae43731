use tollgate::{Class, rate_limited};

#[rate_limited(Class::Read)]
const fn list() {}

fn main() {}
