//! Tokens that a node takes at once, and what becomes of them when something ends.

use std::time::Duration;

use tokio::time::Instant;
use tollgate::decision::Outcome;
use tollgate::{Class, Limiter};

use super::cluster::{cluster, url, wait};
use super::server::{PATIENCE, Server, installed};
use super::{TIMEOUT, acquire, config, left, limiter};

/// What may take longer on a busy machine.
const MARGIN: Duration = Duration::from_secs(2);
/// Longer than any test runs: nothing comes back by itself.
const TTL: Duration = Duration::from_secs(60);

/// A node whose `rl.write` holds `burst` tokens and leases so many of them.
fn leasing(url: &str, burst: u64, tokens: u64) -> Limiter {
    let config = config(url).class(Class::Write, |class| class.burst(burst).lease(tokens, TTL));
    Limiter::new(&config.build().unwrap()).unwrap()
}

async fn remaining(limiter: &Limiter) -> Option<u64> {
    limiter.peek(Class::Write, "alice").await.unwrap().remaining()
}

#[tokio::test]
async fn a_node_that_closes_gives_back_what_it_has_not_spent() {
    for program in installed("a_node_that_closes_gives_back_what_it_has_not_spent") {
        let server = Server::start(program, &[]);
        let (one, other) = (leasing(&server.url(), 120, 100), leasing(&server.url(), 120, 100));
        assert!(acquire(&one, Class::Write, "alice").await.permitted());
        assert_eq!(remaining(&other).await, Some(20), "the whole lease was taken first");
        one.close().await.unwrap();
        assert_eq!(remaining(&other).await, Some(119));
        assert!(one.acquire(Class::Write, "alice").await.is_err());
    }
}

#[tokio::test]
async fn closing_ends_with_the_deadline_when_the_backend_is_frozen() {
    for program in installed("closing_ends_with_the_deadline_when_the_backend_is_frozen") {
        let server = Server::start(program, &[]);
        let limiter = leasing(&server.url(), 120, 100);
        assert!(acquire(&limiter, Class::Write, "alice").await.permitted());
        server.freeze();
        let started = Instant::now();
        limiter.close().await.unwrap();
        assert!(started.elapsed() < TIMEOUT + MARGIN, "{:?}", started.elapsed());
        server.thaw();
    }
}

#[tokio::test]
async fn many_requests_at_once_share_the_leases_of_a_key_to_the_last_token() {
    for program in installed("many_requests_at_once_share_the_leases_of_a_key") {
        let server = Server::start(program, &[]);
        let limiter = leasing(&server.url(), 500, 20);
        let requests: Vec<_> = (0..600)
            .map(|_| {
                let limiter = limiter.clone();
                tokio::spawn(async move { acquire(&limiter, Class::Write, "alice").await })
            })
            .collect();
        let mut admitted = 0;
        for request in requests {
            let decision = request.await.unwrap();
            assert_eq!(decision.failure(), None);
            admitted += u64::from(decision.permitted());
        }
        assert_eq!(admitted, 500);
    }
}

#[tokio::test]
async fn requests_of_any_cost_wait_their_turn_for_a_lease() {
    for program in installed("requests_of_any_cost_wait_their_turn_for_a_lease") {
        let server = Server::start(program, &[]);
        let limiter = leasing(&server.url(), 1_000, 10);
        let requests: Vec<_> = (0..90)
            .map(|number| {
                let limiter = limiter.clone();
                // Up to twice what a lease has.
                let cost = 1 + number % 20;
                tokio::spawn(async move {
                    let writes = limiter.class(Class::Write).cost(cost).unwrap();
                    (cost, writes.acquire("alice").await.unwrap())
                })
            })
            .collect();
        let mut spent = 0;
        for request in requests {
            let (cost, decision) = request.await.unwrap();
            assert_eq!(decision.outcome(), Outcome::Permitted);
            spent += cost;
        }
        limiter.close().await.unwrap();
        let other = leasing(&server.url(), 1_000, 10);
        assert_eq!(remaining(&other).await, Some(1_000 - spent));
    }
}

/// Acquires until the key has nothing left; how often that was admitted.
async fn drain(limiter: &Limiter, key: &str) -> u64 {
    let (mut admitted, deadline) = (0, Instant::now() + PATIENCE);
    loop {
        let started = Instant::now();
        let decision = acquire(limiter, Class::Write, key).await;
        assert!(started.elapsed() < TIMEOUT + MARGIN, "{:?}", started.elapsed());
        match decision.outcome() {
            Outcome::Permitted => admitted += 1,
            Outcome::QuotaExceeded => return admitted,
            outcome => assert_eq!(outcome, Outcome::BackendFailureClosed),
        }
        assert!(Instant::now() < deadline, "still {decision:?}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_failover_while_tokens_are_leased_admits_no_more_and_hangs_nobody() {
    for program in installed("a_failover_while_tokens_are_leased") {
        let started = Instant::now();
        let mut nodes = cluster(program, 1);
        let limiters = [leasing(&url(&nodes), 20, 5), leasing(&url(&nodes), 20, 5)];
        let keys: Vec<String> = (0..12).map(|number| format!("key {number}")).collect();
        for key in &keys {
            for limiter in &limiters {
                left(limiter, Class::Write, key).await;
            }
        }
        let offset = |node: &Server, name: &str| {
            let info: String =
                redis::cmd("INFO").arg("replication").query(&mut node.connection()).unwrap();
            let line = info.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
            line.unwrap_or_else(|| panic!("{name} is not in {info}"))
        };
        wait("the replica is behind", || {
            offset(&nodes[3], "slave_repl_offset:") == offset(&nodes[0], "master_repl_offset:")
        });
        let held: u64 = redis::cmd("DBSIZE").query(&mut nodes[0].connection()).unwrap();
        assert!(held > 0, "no key is on the node that fails");
        nodes[0].kill();
        for key in &keys {
            let mut admitted = 2;
            for limiter in &limiters {
                admitted += drain(limiter, key).await;
            }
            let refilled = (started.elapsed() + TTL).as_secs() / 60;
            assert!(admitted <= 20 + refilled, "{admitted} of {key}");
        }
    }
}

#[tokio::test]
async fn without_leases_a_request_takes_its_own_tokens_alone() {
    for program in installed("without_leases_a_request_takes_its_own_tokens_alone") {
        let server = Server::start(program, &[]);
        let plain = limiter(&server.url());
        assert_eq!(left(&plain, Class::Write, "alice").await, 2);
        plain.close().await.unwrap();
        assert_eq!(remaining(&limiter(&server.url())).await, Some(2));
    }
}
