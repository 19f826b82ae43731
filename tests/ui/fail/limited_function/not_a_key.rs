use tollgate::decision::NotAdmitted;
use tollgate::{Class, Limiter, rate_limited};

#[rate_limited(Class::Export, limiter = limiter, key = name)]
async fn export(limiter: &Limiter, name: Vec<u8>) -> Result<(), NotAdmitted> {
    Ok(())
}

fn main() {}
