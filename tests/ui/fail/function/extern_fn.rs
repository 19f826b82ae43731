use tollgate::{Class, rate_limited};

#[rate_limited(Class::Read)]
async extern "C" fn list() {}

fn main() {}
