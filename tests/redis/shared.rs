//! What several nodes share, and what they do not.

use std::time::Duration;

use tollgate::clock::{Clock, ManualClock, SystemClock};
use tollgate::config::Mode;
use tollgate::decision::Outcome;
use tollgate::{Class, Key, Limiter};

use super::server::{Server, installed};
use super::{acquire, calls, config, left, limiter, with_clock};

#[tokio::test]
async fn nodes_share_one_bucket_for_each_key_and_class() {
    for program in installed("nodes_share_one_bucket_for_each_key_and_class") {
        let server = Server::start(program, &[]);
        let (one, other) = (limiter(&server.url()), limiter(&server.url()));
        assert_eq!(left(&one, Class::Read, "alice").await, 2);
        assert_eq!(left(&other, Class::Read, "alice").await, 1);
        assert_eq!(left(&one, Class::Read, "alice").await, 0);
        let refused = acquire(&other, Class::Read, "alice").await;
        assert_eq!(refused.outcome(), Outcome::QuotaExceeded);
        let wait = refused.retry_after().unwrap();
        assert!(wait > Duration::from_secs(50) && wait <= Duration::from_secs(60), "{wait:?}");
        assert_eq!(left(&other, Class::Read, "bob").await, 2);
        assert_eq!(left(&other, Class::Write, "alice").await, 2);
    }
}

#[tokio::test]
async fn a_local_class_never_asks_the_backend() {
    for program in installed("a_local_class_never_asks_the_backend") {
        let server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        let decision = acquire(&limiter, Class::Search, "alice").await;
        assert_eq!((decision.mode(), decision.permitted()), (Mode::Local, true));
        assert_eq!(limiter.class(Class::Search).mode(), Mode::Local);
        assert_eq!(limiter.class(Class::Read).mode(), Mode::Clustered);
        assert_eq!(calls(&server, "evalsha") + calls(&server, "eval"), 0);
    }
}

#[tokio::test]
async fn a_decision_is_one_command_and_the_script_is_sent_once() {
    for program in installed("a_decision_is_one_command_and_the_script_is_sent_once") {
        let server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        for number in 0..10 {
            left(&limiter, Class::Read, number).await;
        }
        // The first was answered with NOSCRIPT, and came again with the script.
        assert_eq!((calls(&server, "evalsha"), calls(&server, "eval")), (10, 1));
        assert_eq!((calls(&server, "set"), calls(&server, "script|load")), (10, 0));
    }
}

#[tokio::test]
async fn the_time_is_the_servers_whatever_the_clocks_of_the_nodes_say() {
    for program in installed("the_time_is_the_servers_whatever_the_clocks_of_the_nodes_say") {
        let server = Server::start(program, &[]);
        let (behind, ahead) = (ManualClock::new(), ManualClock::new());
        behind.set(SystemClock::new().now() - 3_600_000_000);
        ahead.set(SystemClock::new().now() + 3_600_000_000);
        let (behind, ahead) = (with_clock(&server.url(), behind), with_clock(&server.url(), ahead));
        assert_eq!(left(&behind, Class::Read, "alice").await, 2);
        assert_eq!(left(&ahead, Class::Read, "alice").await, 1);
        assert_eq!(left(&behind, Class::Read, "alice").await, 0);
        assert!(!acquire(&ahead, Class::Read, "alice").await.permitted());
        assert!(!acquire(&behind, Class::Read, "alice").await.permitted());

        // What is stored is the server's time, and the script was given none.
        let mut connection = server.connection();
        let key: String = redis::cmd("RANDOMKEY").query(&mut connection).unwrap();
        let stored: Vec<u8> = redis::cmd("GET").arg(key).query(&mut connection).unwrap();
        // The last of four numbers of eight bytes.
        let stored = f64::from_le_bytes(stored[24..32].try_into().unwrap());
        let (seconds, micros): (u64, u64) = redis::cmd("TIME").query(&mut connection).unwrap();
        let age = Duration::from_micros(seconds * 1_000_000 + micros).as_secs_f64() - stored / 1e6;
        assert!((0.0..20.0).contains(&age), "{age} seconds");
    }
}

#[tokio::test]
async fn the_backend_sees_no_key_and_keeps_no_bucket_for_longer_than_it_takes_to_fill() {
    for program in installed("the_backend_sees_no_key") {
        let server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        left(&limiter, Class::Read, ("tenant-of-alice", "alice@example.org")).await;
        left(&limiter, Class::Read, Key::global()).await;
        let mut connection = server.connection();
        let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut connection).unwrap();
        assert_eq!(keys.len(), 2);
        for key in keys {
            // SHA-256 of the secret, by `sha256sum`.
            let digest = key.strip_prefix("test:v1:ad497fc2:").unwrap();
            assert!(
                digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()),
                "{key}"
            );
            // A minute to full, and a minute of slack.
            let kept: u64 = redis::cmd("PTTL").arg(&key).query(&mut connection).unwrap();
            assert!((100_000..=120_002).contains(&kept), "{kept}");
        }
    }
}

#[tokio::test]
async fn a_refused_hot_key_costs_no_command_until_its_wait_is_over() {
    for program in installed("a_refused_hot_key_costs_no_command_until_its_wait_is_over") {
        let server = Server::start(program, &[]);
        let clock = ManualClock::new();
        let limiter = with_clock(&server.url(), clock.clone());
        for _ in 0..3 {
            left(&limiter, Class::Read, "alice").await;
        }
        let refused = acquire(&limiter, Class::Read, "alice").await;
        let wait = refused.retry_after().unwrap();
        let before = calls(&server, "evalsha");
        for _ in 0..100 {
            let decision = acquire(&limiter, Class::Read, "alice").await;
            assert_eq!(
                (decision.outcome(), decision.retry_after()),
                (Outcome::QuotaExceeded, Some(wait))
            );
        }
        // The node waits less as its own time passes.
        clock.advance(Duration::from_secs(1));
        let later = acquire(&limiter, Class::Read, "alice").await;
        assert_eq!(later.retry_after(), wait.checked_sub(Duration::from_secs(1)));
        assert_eq!(calls(&server, "evalsha"), before);
        clock.advance(later.retry_after().unwrap());
        assert!(
            !acquire(&limiter, Class::Read, "alice").await.permitted(),
            "the server's clock stood"
        );
        assert_eq!(calls(&server, "evalsha"), before + 1);
    }
}

#[tokio::test]
async fn looking_takes_nothing_and_what_is_given_back_is_there_again() {
    for program in installed("looking_takes_nothing_and_what_is_given_back_is_there_again") {
        let server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        for _ in 0..3 {
            assert_eq!(limiter.peek(Class::Read, "alice").await.unwrap().remaining(), Some(3));
        }
        let reads = limiter.class(Class::Read).cost(3).unwrap();
        assert_eq!(reads.acquire("alice").await.unwrap().remaining(), Some(0));
        assert_eq!(reads.peek("alice").await.unwrap().outcome(), Outcome::QuotaExceeded);
        assert!(!acquire(&limiter, Class::Read, "alice").await.permitted());
        reads.refund("alice");
        let deadline = tokio::time::Instant::now() + super::PATIENCE;
        while limiter.peek(Class::Read, "alice").await.unwrap().remaining() != Some(3) {
            assert!(tokio::time::Instant::now() < deadline, "nothing comes back");
        }
        assert_eq!(left(&limiter, Class::Read, "alice").await, 2);
    }
}

#[tokio::test]
async fn requests_that_are_decided_together_take_all_or_nothing() {
    for program in installed("requests_that_are_decided_together_take_all_or_nothing") {
        let server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        let together = || async {
            let requests = [
                limiter.acquire(Class::Export, "alice"),
                limiter.acquire(Class::Read, "alice"),
                limiter.acquire(Class::Write, "alice"),
            ];
            limiter.acquire_all(requests).await.unwrap()
        };
        let decisions = together().await;
        assert!(decisions.iter().all(tollgate::Decision::permitted));
        assert_eq!(decisions.map(|decision| decision.remaining()), [Some(1), Some(2), Some(2)]);
        left(&limiter, Class::Write, "alice").await;
        left(&limiter, Class::Write, "alice").await;
        let decisions = together().await;
        assert_eq!(decisions.map(|decision| decision.permitted()), [true, true, false]);
        let deadline = tokio::time::Instant::now() + super::PATIENCE;
        while limiter.peek(Class::Read, "alice").await.unwrap().remaining() != Some(2) {
            assert!(tokio::time::Instant::now() < deadline, "the token does not come back");
        }
        assert_eq!(limiter.peek(Class::Export, "alice").await.unwrap().remaining(), Some(1));
    }
}

#[tokio::test]
async fn a_reload_changes_limits_and_another_revision_starts_fresh_buckets() {
    for program in installed("a_reload_changes_limits_and_another_revision_starts_fresh_buckets") {
        let server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        assert_eq!(left(&limiter, Class::Read, "alice").await, 2);
        let raised = config(&server.url()).class(Class::Read, |class| class.burst(10));
        limiter.reload(&raised.build().unwrap()).unwrap();
        assert_eq!(left(&limiter, Class::Read, "alice").await, 8);
        let renewed = config(&server.url()).class(Class::Read, |class| class.revision("2"));
        limiter.reload(&renewed.build().unwrap()).unwrap();
        assert_eq!(left(&limiter, Class::Read, "alice").await, 2);
        let local = config(&server.url()).class(Class::Read, |class| class.mode(Mode::Local));
        limiter.reload(&local.build().unwrap()).unwrap();
        assert_eq!(acquire(&limiter, Class::Read, "alice").await.mode(), Mode::Local);
    }
}

#[tokio::test]
async fn tiers_and_named_policies_can_be_shared() {
    for program in installed("tiers_and_named_policies_can_be_shared") {
        let server = Server::start(program, &[]);
        let file = "[ratelimit.rl.read.tiers.gold]\nburst = 5\n\
                    [ratelimit.policies.quota]\nmode = \"clustered\"\nfailure_mode = \"open\"\n\
                    tokens = 7\nperiod = \"1h\"\ncapacity = 7\n";
        let nodes = [(), ()].map(|()| {
            let config = config(&server.url()).file(toml::from_str(file).unwrap());
            Limiter::<Class>::new(&config.build().unwrap()).unwrap()
        });
        for (node, gold, quota) in [(&nodes[0], 4, 6), (&nodes[1], 3, 5)] {
            let decision = node.class(Class::Read).tier("gold").acquire("alice").await.unwrap();
            assert_eq!(decision.remaining(), Some(gold));
            let decision = node.policy("quota").unwrap().acquire("alice").await.unwrap();
            assert_eq!((decision.mode(), decision.remaining()), (Mode::Clustered, Some(quota)));
        }
        assert_eq!(left(&nodes[0], Class::Read, "alice").await, 2);
    }
}
