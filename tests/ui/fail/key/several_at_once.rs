use tollgate::{Key, ToKey};

#[derive(ToKey)]
#[to_key(skip)]
union Account {
    number: u64,
}

fn key(account: &Account) -> Key {
    Key::new(account)
}

fn main() {}
