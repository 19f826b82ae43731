use tollgate::{Class, rate_limited};

#[rate_limited(Class::Reed)]
async fn list() {}

fn main() {}
