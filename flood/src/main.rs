//! Floods: `flood keys`, `flood reload`, `flood oracle`, `flood api`, or all of them without an argument. Each says what it
//! covered, and panics when a law does not hold.

mod api;
mod keys;
mod oracle;
mod reload;

/// What it is called, and what runs it and says what it covered.
type Flood = (&'static str, fn() -> String);

const ALL: [Flood; 4] =
    [("oracle", oracle::run), ("keys", keys::run), ("reload", reload::run), ("api", api::run)];

fn main() {
    let chosen = std::env::args().nth(1).unwrap_or_default();
    for (name, run) in ALL.iter().filter(|(name, _)| name.contains(&chosen)) {
        let started = std::time::Instant::now();
        let covered = run();
        println!("{name}: {covered}, {:.1} s", started.elapsed().as_secs_f64());
    }
}

/// What a future of the local store says: it never waits.
fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(output) => output,
        std::task::Poll::Pending => panic!("a local decision waited"),
    }
}
