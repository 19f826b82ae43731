use tollgate::{Class, rate_limited};

#[rate_limited(Class::Read)]
async fn list(
    _: (), _: (), _: (), _: (), _: (), _: (), _: (), _: (), _: (), _: (), _: (), _: (), _: (),
    _: (), _: (), _: (), _: (),
) {
}

fn main() {}
