use tollgate::catalogue::KeyKind;
use tollgate::rate_limited;

#[rate_limited(per_minute = 30, burst = 10, key = KeyKind::ClientIpp)]
async fn list() {}

fn main() {}
