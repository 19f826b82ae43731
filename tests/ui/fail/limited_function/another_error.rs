use tollgate::{Class, Limiter, rate_limited};

struct ExportError;

#[rate_limited(Class::Export, limiter = limiter, key = name)]
async fn export(limiter: &Limiter, name: &str) -> Result<(), ExportError> {
    Ok(())
}

fn main() {}
