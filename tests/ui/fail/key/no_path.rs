use tollgate::ToKey;

#[derive(ToKey)]
#[to_key(crate)]
struct Account(u64);

fn main() {}
