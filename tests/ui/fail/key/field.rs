use tollgate::ToKey;

#[derive(ToKey)]
struct Account {
    tenant: u32,
    groups: Vec<u32>,
}

fn main() {}
