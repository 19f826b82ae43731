use tollgate::decision::NotAdmitted;
use tollgate::{Class, Limiter, rate_limited};

#[rate_limited(Class::Exports, limiter = limiter, key = name)]
async fn export(limiter: &Limiter, name: &str) -> Result<(), NotAdmitted> {
    Ok(())
}

fn main() {}
