use tollgate::catalogue::KeyKind;
use tollgate::rate_limited;

#[rate_limited(per_minute = 0, burst = 0, key = KeyKind::ClientIp)]
async fn list() {}

fn main() {}
