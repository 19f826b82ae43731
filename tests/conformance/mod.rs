//! One suite for every store: the same requests at the same microseconds, with the same numbers, each worked out by hand.
//!
//! It is compiled into the library's own tests, because there alone the script of the shared store takes its
//! time from the test.

mod cases;

use std::time::Duration;

use crate::clock::ManualClock;
use crate::config::{Config, Mode};
use crate::decision::{Decision, Outcome};
use crate::{Class, Limiter};
use cases::{CASES, Case, Step};

/// Something that is done with the bucket of one key.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Gives so many tokens back, and then asks whether one is there.
    GiveBack(u64),
    /// Asks whether so many are there.
    Look(u64),
    /// Goes on under other limits.
    Reload(&'static str),
    /// Takes so many.
    Take(u64),
}

/// What a decision says; times are in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    permitted: bool,
    left: u64,
    retry_after: Option<u64>,
    full_after: u64,
    next_after: u64,
}

/// Where the policy `case` lives.
struct Place {
    mode: Mode,
    /// Lines of the policy, and tables beside it.
    lines: String,
    tables: String,
}

impl Place {
    fn settings(&self, limits: &str) -> Config<Class> {
        let Self { lines, tables, .. } = self;
        let file = format!("{tables}\n[ratelimit.policies.case]\n{lines}\n{limits}");
        Config::builder().file(toml::from_str(&file).unwrap()).build().unwrap()
    }
}

/// Runs every case at the place that `place` says for it.
async fn conforms(place: impl Fn(usize) -> Place) {
    for (number, Case { rule, limits, steps }) in CASES.iter().enumerate() {
        let place = place(number);
        let clock = ManualClock::new();
        let limiter = Limiter::with_clock(&place.settings(limits), clock.clone()).unwrap();
        let limiter = limiter.timed_by_its_clock();
        for Step { at, act, gives } in *steps {
            clock.set(*at);
            if let Act::Reload(limits) = act {
                limiter.reload(&place.settings(limits)).unwrap();
                continue;
            }
            let mut decision = decide(&limiter, *act).await;
            // What is given back may arrive a moment later.
            for _ in 0..10_000 {
                if !matches!(act, Act::GiveBack(_)) || numbers(&decision) == *gives {
                    break;
                }
                tokio::task::yield_now().await;
                decision = decide(&limiter, Act::Look(1)).await;
            }
            assert_eq!(decision.mode(), place.mode);
            assert_eq!(numbers(&decision), *gives, "{rule}: {act:?} at {at}");
        }
    }
}

async fn decide(limiter: &Limiter, act: Act) -> Decision<()> {
    let costing = |cost| limiter.policy("case").unwrap().cost(cost).unwrap();
    match act {
        Act::GiveBack(cost) => {
            costing(cost).refund("alice");
            costing(1).peek("alice").await.unwrap()
        }
        Act::Look(cost) => costing(cost).peek("alice").await.unwrap(),
        Act::Reload(_) => unreachable!("a reload decides nothing"),
        Act::Take(cost) => costing(cost).acquire("alice").await.unwrap(),
    }
}

fn numbers(decision: &Decision<()>) -> Numbers {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap();
    Numbers {
        permitted: decision.outcome() == Outcome::Permitted,
        left: decision.remaining().unwrap(),
        retry_after: decision.retry_after().map(micros),
        full_after: micros(decision.reset_after().unwrap()),
        next_after: micros(decision.next_token_after().unwrap()),
    }
}

#[tokio::test]
async fn the_local_store_conforms() {
    conforms(|_| Place { mode: Mode::Local, lines: String::new(), tables: String::new() }).await;
}

#[cfg(feature = "redis")]
#[tokio::test]
async fn the_shared_store_conforms() {
    use crate::store::redis::server::{Server, installed};
    for program in installed("the_shared_store_conforms") {
        let server = Server::start(program, &[]);
        // A namespace for each case, so that every one starts with a full bucket.
        conforms(|number| Place {
            mode: Mode::Clustered,
            lines: "mode = \"clustered\"\nfailure_mode = \"closed\"".to_owned(),
            tables: format!(
                "[ratelimit]\nkey_secret = \"a secret of thirty-two bytes, or more\"\n\
                 [ratelimit.redis]\nurl = \"{}\"\nnamespace = \"case-{number}\"\n\
                 operation_timeout = \"20s\"",
                server.url()
            ),
        })
        .await;
    }
}
