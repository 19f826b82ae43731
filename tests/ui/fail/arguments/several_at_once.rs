use tollgate::rate_limited;

#[rate_limited("rl.read", costs = 2, cost = 0, exempt)]
fn list() {}

fn main() {}
