use tollgate::ToKey;

#[derive(ToKey)]
#[to_key(skip)]
struct Account(u64);

fn main() {}
