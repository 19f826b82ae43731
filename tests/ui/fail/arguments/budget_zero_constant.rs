use tollgate::catalogue::KeyKind;
use tollgate::rate_limited;

const NONE: u32 = 0;

#[rate_limited(per_minute = 30, burst = NONE, key = KeyKind::ClientIp)]
async fn list() {}

fn main() {}
