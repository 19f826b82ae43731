use tollgate::{Key, ToKey};

#[derive(ToKey)]
struct Account {
    tenant: u32,
    #[to_key(skip)]
    groups: Vec<u32>,
}

fn key(account: &Account) -> Key {
    Key::new(account)
}

fn main() {}
