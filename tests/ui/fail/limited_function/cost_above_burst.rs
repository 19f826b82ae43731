use tollgate::decision::NotAdmitted;
use tollgate::{Action, Limiter, rate_limited};

#[rate_limited(Action::MessageSend, limiter = limiter, key = name, cost = 16)]
async fn send(limiter: &Limiter, name: &str) -> Result<(), NotAdmitted> {
    Ok(())
}

fn main() {}
