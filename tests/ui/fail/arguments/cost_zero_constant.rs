use tollgate::{Class, rate_limited};

const FREE: u32 = 0;

#[rate_limited(Class::Read, cost = FREE)]
async fn list() {}

fn main() {}
