use tollgate::decision::NotAdmitted;
use tollgate::{Class, Limiter, rate_limited};

#[rate_limited(Class::Export, limiter = limiter, key = name, cost = pages)]
async fn export(limiter: &Limiter, name: &str, pages: u32) -> Result<(), NotAdmitted> {
    Ok(())
}

fn main() {}
