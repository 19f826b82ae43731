use tollgate::ToKey;

#[derive(ToKey)]
enum Account {
    #[to_key(rename = "anonymous")]
    Guest,
}

fn main() {}
