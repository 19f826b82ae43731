use tollgate::{Class, rate_limited};

#[rate_limited(Class::Read)]
async fn list(_: Option<impl Clone>) {}

fn main() {}
