use tollgate::rate_limited;

enum Colour {
    Red,
}

#[rate_limited(Colour::Red)]
async fn list() {}

fn main() {}
