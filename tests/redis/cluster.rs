//! Three nodes of a cluster on the loopback interface, and a replica that takes the place of one of them.

use tokio::time::Instant;
use tollgate::Class;
use tollgate::decision::Outcome;

use super::server::{PATIENCE, Server, free_port, installed};
use super::{acquire, left, limiter, until_decided};

const SLOTS: usize = 16_384;
/// The rights that operations names for a cluster.
const USER: &str = "user tollgate on >secret ~test:v1:* resetchannels -@all +evalsha +eval +get +set +time +cluster|slots +ping +asking";

/// Waits until `condition` holds.
pub(super) fn wait(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::yield_now();
    }
}

fn command(server: &Server, words: &str) -> redis::RedisResult<redis::Value> {
    let mut words = words.split(' ');
    let mut command = redis::cmd(words.next().unwrap());
    words.for_each(|word| {
        command.arg(word);
    });
    command.query(&mut server.connection())
}

fn info(server: &Server) -> String {
    redis::cmd("CLUSTER").arg("INFO").query(&mut server.connection()).unwrap()
}

/// Three primaries, each with a third of the slots, and `replicas` of the first.
pub(super) fn cluster(program: &'static str, replicas: usize) -> Vec<Server> {
    let nodes: Vec<Server> = (0..3 + replicas)
        .map(|_| {
            let bus = format!("cluster-port {}", free_port());
            let options = ["cluster-enabled yes", "cluster-node-timeout 1000", &bus, USER];
            Server::start(program, &options)
        })
        .collect();
    for (number, node) in nodes.iter().take(3).enumerate() {
        let (first, last) = (number * SLOTS / 3, (number + 1) * SLOTS / 3 - 1);
        command(node, &format!("CLUSTER ADDSLOTSRANGE {first} {last}")).unwrap();
    }
    for (number, node) in nodes.iter().enumerate() {
        command(node, &format!("CLUSTER SET-CONFIG-EPOCH {}", number + 1)).unwrap();
    }
    for node in &nodes[1..] {
        let bus = node.option("cluster-port");
        command(&nodes[0], &format!("CLUSTER MEET 127.0.0.1 {} {bus}", node.port())).unwrap();
    }
    let size = format!("cluster_known_nodes:{}", nodes.len());
    wait("the nodes do not meet", || {
        nodes.iter().all(|node| {
            let info = info(node);
            info.contains("cluster_state:ok") && info.contains(&size)
        })
    });
    let first: String =
        redis::cmd("CLUSTER").arg("MYID").query(&mut nodes[0].connection()).unwrap();
    for replica in &nodes[3..] {
        wait("the replica does not know its primary", || {
            command(replica, &format!("CLUSTER REPLICATE {first}")).is_ok()
        });
        wait("the replica does not follow", || {
            let info: String =
                redis::cmd("INFO").arg("replication").query(&mut replica.connection()).unwrap();
            info.contains("master_link_status:up")
        });
    }
    nodes
}

pub(super) fn url(nodes: &[Server]) -> String {
    let hosts: Vec<String> =
        nodes.iter().map(|node| format!("127.0.0.1:{}", node.port())).collect();
    format!("redis+cluster://tollgate:secret@{}", hosts.join(","))
}

#[tokio::test]
async fn every_key_has_one_bucket_on_whatever_node_it_is() {
    for program in installed("every_key_has_one_bucket_on_whatever_node_it_is") {
        let nodes = cluster(program, 0);
        // One node is enough to find the others.
        let (one, other) = (limiter(&url(&nodes[1..2])), limiter(&url(&nodes)));
        for number in 0..60 {
            assert_eq!(left(&one, Class::Write, number).await, 2);
            assert_eq!(left(&other, Class::Write, number).await, 1);
        }
        for node in &nodes {
            let size: u64 = redis::cmd("DBSIZE").query(&mut node.connection()).unwrap();
            assert!(size > 0 && size < 60, "{size} of 60 buckets are on one node");
        }
    }
}

#[tokio::test]
async fn keys_that_moved_to_another_node_keep_their_buckets() {
    for program in installed("keys_that_moved_to_another_node_keep_their_buckets") {
        let nodes = cluster(program, 0);
        let limiter = limiter(&url(&nodes));
        assert_eq!(left(&limiter, Class::Write, "alice").await, 2);
        let holds = |node: &&Server| {
            redis::cmd("DBSIZE").query::<u64>(&mut node.connection()).unwrap() == 1
        };
        let from = nodes.iter().find(holds).unwrap();
        let to = nodes.iter().find(|node| !holds(node)).unwrap();
        let key: String = redis::cmd("RANDOMKEY").query(&mut from.connection()).unwrap();
        let slot: u64 =
            redis::cmd("CLUSTER").arg("KEYSLOT").arg(&key).query(&mut from.connection()).unwrap();
        let id = |node: &Server| -> String {
            redis::cmd("CLUSTER").arg("MYID").query(&mut node.connection()).unwrap()
        };
        command(to, &format!("CLUSTER SETSLOT {slot} IMPORTING {}", id(from))).unwrap();
        command(from, &format!("CLUSTER SETSLOT {slot} MIGRATING {}", id(to))).unwrap();
        assert_eq!(left(&limiter, Class::Write, "alice").await, 1, "while it is still here");
        command(from, &format!("MIGRATE 127.0.0.1 {} {key} 0 5000", to.port())).unwrap();
        // Answered with ASK.
        assert_eq!(left(&limiter, Class::Write, "alice").await, 0);
        for node in &nodes {
            command(node, &format!("CLUSTER SETSLOT {slot} NODE {}", id(to))).unwrap();
        }
        // Answered with MOVED.
        let refused = limiter.class(Class::Write).acquire("alice").await.unwrap();
        assert_eq!(refused.outcome(), Outcome::QuotaExceeded);
    }
}

#[tokio::test]
async fn a_replica_takes_over_with_the_buckets_of_its_primary() {
    for program in installed("a_replica_takes_over_with_the_buckets_of_its_primary") {
        let mut nodes = cluster(program, 1);
        let limiter = limiter(&url(&nodes));
        let keys: Vec<String> = (0..30).map(|number| format!("key {number}")).collect();
        for key in &keys {
            for expected in [2, 1, 0] {
                assert_eq!(left(&limiter, Class::Write, key).await, expected);
            }
        }
        let size =
            |node: &Server| -> u64 { redis::cmd("DBSIZE").query(&mut node.connection()).unwrap() };
        let on_first = size(&nodes[0]);
        wait("the replica is behind", || size(&nodes[3]) == on_first);
        nodes[0].kill();
        // Under way: every request ends, and those of the other nodes are decided.
        let mut failures = 0;
        for key in &keys {
            let decision = acquire(&limiter, Class::Write, key.as_str()).await;
            assert!(!decision.permitted(), "{decision:?}");
            failures += u64::from(decision.failure().is_some());
        }
        assert!(failures <= on_first, "{failures} of {on_first}");
        for key in &keys {
            let decision = until_decided(&limiter, Class::Write, key).await;
            assert_eq!(decision.outcome(), Outcome::QuotaExceeded, "the spent tokens are spent");
        }
    }
}
