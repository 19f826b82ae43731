use tollgate::ToKey;

#[derive(ToKey)]
enum Account {
    Guest,
    User(u64, std::time::Instant),
}

fn main() {}
