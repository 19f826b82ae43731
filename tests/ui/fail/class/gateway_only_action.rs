use tollgate::{Action, rate_limited};

#[rate_limited(Action::TypingStart)]
async fn typing() {}

fn main() {}
