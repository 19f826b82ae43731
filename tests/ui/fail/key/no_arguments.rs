use tollgate::ToKey;

#[derive(ToKey)]
#[to_key]
struct Account(u64);

fn main() {}
