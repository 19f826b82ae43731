use tollgate::ToKey;

#[derive(ToKey)]
union Account {
    number: u64,
    bytes: [u8; 8],
}

fn main() {}
