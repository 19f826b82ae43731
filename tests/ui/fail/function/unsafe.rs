use tollgate::{Class, rate_limited};

#[rate_limited(Class::Read)]
async unsafe fn list() {}

fn main() {}
