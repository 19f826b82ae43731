use tollgate::decision::NotAdmitted;
use tollgate::{Limiter, rate_limited};

#[rate_limited(default, limiter = limiter, key = name)]
async fn export(limiter: &Limiter, name: &str) -> Result<(), NotAdmitted> {
    Ok(())
}

fn main() {}
