use tollgate::rate_limited;

#[rate_limited(Klass::Read)]
async fn list() {}

fn main() {}
