use tollgate::rate_limited;

#[rate_limited(tollgate::Class::Read)]
struct List;

fn main() {}
