use tollgate::decision::NotAdmitted;
use tollgate::{Class, rate_limited};

#[rate_limited(Class::Export, limiter = limiter, key = name)]
async fn export(limiter: &str, name: &str) -> Result<(), NotAdmitted> {
    Ok(())
}

fn main() {}
