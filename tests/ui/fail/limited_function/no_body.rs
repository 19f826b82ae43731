use tollgate::decision::NotAdmitted;
use tollgate::{Class, rate_limited};


trait Exporter {
    #[rate_limited(Class::Export, limiter = self.limiter(), key = name)]
    async fn export(&self, name: &str) -> Result<(), NotAdmitted>;
}

fn main() {}
