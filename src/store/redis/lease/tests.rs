use proptest::prelude::*;

use super::*;
use crate::clock::ManualClock;
use crate::store::redis::server::{Server, installed};
use crate::{Class, Config};

const SECOND: u64 = 1_000_000;

/// Nodes that share one server and one clock, which is also the script's.
struct Nodes {
    stores: Vec<Arc<Store>>,
    clock: ManualClock,
    limits: Limits,
    lease: Lease,
    key: KeyId,
}

impl Nodes {
    fn new(server: &Server, number: usize, case: u32, limits: Limits, lease: Lease) -> Self {
        let node = || {
            let config = Config::<Class>::builder();
            let config =
                config.redis(&server.url(), &format!("case-{case}"), Duration::from_secs(20));
            let config =
                config.key_secret("a secret of thirty-two bytes, or more").build().unwrap();
            let mut store =
                Store::new(config.redis().unwrap(), config.key_secret.as_ref().unwrap()).unwrap();
            store.time_by_caller();
            Arc::new(store)
        };
        let stores: Vec<_> = (0..number).map(|_| node()).collect();
        let key = stores[0].scope("rl.read", "").identify("alice");
        let clock = ManualClock::new();
        clock.set(1_000 * SECOND);
        Self { stores, clock, limits, lease, key }
    }

    fn clock(&self) -> Arc<dyn Clock> {
        Arc::new(self.clock.clone())
    }

    async fn acquire(&self, node: usize, cost: u64) -> bool {
        let store = &self.stores[node];
        let lease = Some(self.lease);
        let decided = store.acquire(self.key, self.limits, cost, lease, &self.clock()).await;
        decided.unwrap().admitted
    }

    /// What the timer of a node does.
    async fn end(&self, node: usize) {
        self.stores[node].end(self.key, &self.clock()).await;
    }

    /// What a node held is forgotten, as when it dies.
    fn die(&self, node: usize) {
        self.stores[node].leases.shards.iter().for_each(|shard| shard.lock().clear());
    }

    async fn left(&self) -> u64 {
        let clock = self.clock();
        self.stores[0].peek(self.key, self.limits, 1, &*clock).await.unwrap().remaining()
    }
}

fn lease(tokens: u64, millis: u64) -> Lease {
    Lease { tokens, ttl: Duration::from_millis(millis) }
}

#[tokio::test]
async fn a_lease_is_spent_without_asking_and_what_is_left_goes_back() {
    for program in installed("a_lease_is_spent_without_asking_and_what_is_left_goes_back") {
        let server = Server::start(program, &[]);
        let limits = Limits::per_minute(60, 120).unwrap();
        let nodes = Nodes::new(&server, 2, 0, limits, lease(100, 200));
        for _ in 0..30 {
            assert!(nodes.acquire(0, 1).await);
        }
        assert_eq!(nodes.left().await, 20, "the whole lease was taken first");
        // The other node gets no more than there is.
        assert!(nodes.acquire(1, 1).await);
        assert_eq!(nodes.left().await, 0);
        nodes.clock.advance(Duration::from_millis(200));
        nodes.end(0).await;
        nodes.end(1).await;
        assert_eq!(nodes.left().await, 89, "31 were spent, and 0.2 came back");
    }
}

#[tokio::test]
async fn what_a_dead_node_held_is_lost_and_refills_like_anything_spent() {
    for program in installed("what_a_dead_node_held_is_lost_and_refills_like_anything_spent") {
        let server = Server::start(program, &[]);
        let limits = Limits::per_minute(60, 10).unwrap();
        let nodes = Nodes::new(&server, 2, 0, limits, lease(10, 200));
        assert!(nodes.acquire(0, 1).await);
        nodes.die(0);
        assert_eq!(nodes.left().await, 0);
        nodes.clock.advance(Duration::from_millis(799));
        assert_eq!(nodes.left().await, 0, "it may still come back");
        nodes.clock.advance(Duration::from_secs(10));
        assert_eq!(nodes.left().await, 10);
    }
}

#[tokio::test]
async fn what_may_come_back_is_not_refilled_meanwhile() {
    for program in installed("what_may_come_back_is_not_refilled_meanwhile") {
        let server = Server::start(program, &[]);
        // One a second.
        let limits = Limits::per_minute(60, 10).unwrap();
        let nodes = Nodes::new(&server, 2, 0, limits, lease(10, 10_000));
        assert!(nodes.acquire(0, 1).await);
        nodes.clock.advance(Duration::from_millis(9_999));
        // Refilled, these would be 9 here beside the 9 that the first node still has.
        assert!(!nodes.acquire(1, 1).await);
        nodes.clock.advance(Duration::from_millis(1));
        nodes.end(0).await;
        assert_eq!(nodes.left().await, 9);
        nodes.clock.advance(Duration::from_secs(1));
        assert_eq!(nodes.left().await, 10);
    }
}

#[tokio::test]
async fn who_stays_below_the_rate_is_never_refused() {
    for program in installed("who_stays_below_the_rate_is_never_refused") {
        let server = Server::start(program, &[]);
        // Ten a second; two nodes use four each.
        let limits = Limits::per_minute(600, 120).unwrap();
        let nodes = Nodes::new(&server, 2, 0, limits, lease(50, 200));
        for step in 0..100 {
            assert!(nodes.acquire(0, 1).await && nodes.acquire(1, 1).await, "step {step}");
            nodes.clock.advance(Duration::from_millis(250));
            nodes.end(0).await;
            nodes.end(1).await;
        }
        assert!(nodes.left().await >= 118, "{}", nodes.left().await);
    }
}

#[tokio::test]
async fn a_cancelled_request_leaves_its_lease_to_the_next() {
    for program in installed("a_cancelled_request_leaves_its_lease_to_the_next") {
        let server = Server::start(program, &[]);
        let limits = Limits::per_minute(60, 120).unwrap();
        let nodes = Nodes::new(&server, 1, 0, limits, lease(100, 200));
        let mut cancelled = Box::pin(nodes.acquire(0, 1));
        let first = std::future::poll_fn(|context| {
            std::task::Poll::Ready(cancelled.as_mut().poll(context).is_pending())
        });
        assert!(first.await, "a round trip takes longer than one poll");
        drop(cancelled);
        assert!(nodes.acquire(0, 1).await);
        assert_eq!(nodes.left().await, 20, "one lease was taken");
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Acquire { node: usize, cost: u64 },
    Advance { micros: u64 },
    Die { node: usize },
    End { node: usize },
}

fn event() -> impl Strategy<Value = Event> {
    let node = 0_usize..3;
    prop_oneof![
        8 => (node.clone(), 1_u64..6).prop_map(|(node, cost)| Event::Acquire { node, cost }),
        4 => (0_u64..150_000).prop_map(|micros| Event::Advance { micros }),
        1 => node.clone().prop_map(|node| Event::Die { node }),
        3 => node.prop_map(|node| Event::End { node }),
    ]
}

/// The law of leases: over any window W no more is admitted than the capacity and what refills in W and the time of a
/// lease.
fn check_windows(admitted: &[(u64, u64)], limits: Limits, ttl: u64) {
    let period = u128::from(limits.period_micros());
    for (first, (from, _)) in admitted.iter().enumerate() {
        let mut total = 0_u128;
        for (until, cost) in &admitted[first..] {
            total += u128::from(*cost);
            let refill = u128::from(until - from + ttl) * u128::from(limits.tokens());
            let most = u128::from(limits.capacity()) * period + refill;
            assert!(total * period <= most, "{total} from {from} to {until} in {admitted:?}");
        }
    }
}

#[test]
fn every_window_stays_within_the_capacity_and_the_refill_of_it_and_a_lease() {
    for program in installed("every_window_stays_within_the_bound_of_leases") {
        let server = Server::start(program, &[]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let case = std::cell::Cell::new(0);
        let cases = ProptestConfig { cases: 150, failure_persistence: None, ..Default::default() };
        let limits = (1_u64..100, 6_u64..60);
        let strategy = (limits, 1_u64..60, 20_u64..400, prop::collection::vec(event(), 10..120));
        let mut runner = proptest::test_runner::TestRunner::new(cases);
        let outcome = runner.run(&strategy, |((tokens, capacity), leased, ttl, events)| {
            let limits = Limits::new(tokens, Duration::from_secs(1), capacity).unwrap();
            case.set(case.get() + 1);
            let lease = lease(leased.min(capacity), ttl);
            let nodes = Nodes::new(&server, 3, case.get(), limits, lease);
            runtime.block_on(async {
                let mut admitted = Vec::new();
                for event in events {
                    match event {
                        Event::Acquire { node, cost } => {
                            if nodes.acquire(node, cost).await {
                                admitted.push((nodes.clock.now(), cost));
                            }
                        }
                        Event::Advance { micros } => {
                            nodes.clock.advance(Duration::from_micros(micros));
                        }
                        Event::Die { node } => nodes.die(node),
                        Event::End { node } => nodes.end(node).await,
                    }
                }
                check_windows(&admitted, limits, ttl * 1_000);
            });
            Ok(())
        });
        outcome.unwrap();
    }
}
