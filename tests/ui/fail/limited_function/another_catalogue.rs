use tollgate::decision::NotAdmitted;
use tollgate::{Class, Limiter, rate_limited};

#[rate_limited(Class::Export, limiter = limiter, key = name)]
async fn export(limiter: &Limiter<tollgate::catalogue::NoClasses>, name: &str) -> Result<(), NotAdmitted> {
    Ok(())
}

fn main() {}
