use tollgate::rate_limited;

struct Reports;

impl Reports {
    #[rate_limited(tollgate::Class::Export)]
    async fn export(&self) {}
}

fn main() {}
