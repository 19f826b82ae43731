use tollgate::catalogue::KeyKind;
use tollgate::{Class, rate_limited};

#[rate_limited(Class::Read, per_minute = 30, burst = 10, key = KeyKind::ClientIp)]
async fn list() {}

fn main() {}
