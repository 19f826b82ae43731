use tollgate::rate_limited;

#[rate_limited(tollgate::Class::Read)]
async fn list<T>(_: T) {}

fn main() {}
