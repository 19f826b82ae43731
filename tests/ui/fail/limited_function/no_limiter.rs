use tollgate::decision::NotAdmitted;
use tollgate::{Class, Limiter, rate_limited};

#[rate_limited(Class::Export, key = name)]
async fn export(limiter: &Limiter, name: &str) -> Result<(), NotAdmitted> {
    Ok(())
}

fn main() {}
