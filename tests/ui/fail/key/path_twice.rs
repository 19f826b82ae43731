use tollgate::ToKey;

#[derive(ToKey)]
#[to_key(crate = tollgate, crate = ::tollgate)]
struct Account(u64);

fn main() {}
