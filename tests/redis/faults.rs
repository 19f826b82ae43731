//! What happens when the backend does not decide, under both failure modes, and that it ends without a restart.

use std::time::Duration;

use tokio::time::Instant;
use tollgate::clock::ManualClock;
use tollgate::decision::{FailureCode, NotAdmitted, Outcome};
use tollgate::{Class, Limiter};

use super::server::{PATIENCE, Server, free_port, installed};
use super::{
    TIMEOUT, acquire, assert_fails, calls, config, left, limiter, until_decided, with_clock,
};

/// What a test that waits for a deadline may take longer on a busy machine.
const MARGIN: Duration = Duration::from_secs(2);

#[tokio::test]
async fn absent_at_the_start_and_there_later() {
    for program in installed("absent_at_the_start_and_there_later") {
        let mut server = Server::start(program, &[]);
        server.kill();
        let limiter = limiter(&server.url());
        assert_fails(&limiter, FailureCode::BackendUnavailable).await;
        server.restart();
        let decision = until_decided(&limiter, Class::Write, "alice").await;
        assert_eq!(decision.remaining(), Some(2));
    }
}

#[tokio::test]
async fn stopped_while_in_use_and_restarted_empty() {
    for program in installed("stopped_while_in_use_and_restarted_empty") {
        let mut server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        for _ in 0..3 {
            left(&limiter, Class::Write, "alice").await;
        }
        assert_eq!(
            acquire(&limiter, Class::Write, "alice").await.outcome(),
            Outcome::QuotaExceeded
        );
        server.kill();
        assert_fails(&limiter, FailureCode::BackendUnavailable).await;
        // The refusal that was remembered does not hold across the failure.
        let decision = acquire(&limiter, Class::Write, "alice").await;
        assert_eq!(decision.failure(), Some(FailureCode::BackendUnavailable));
        server.restart();
        // Empty, without the script and without the bucket.
        let decision = until_decided(&limiter, Class::Write, "alice").await;
        assert_eq!((decision.outcome(), decision.remaining()), (Outcome::Permitted, Some(2)));
    }
}

#[tokio::test]
async fn frozen_past_the_deadline() {
    for program in installed("frozen_past_the_deadline") {
        let server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        left(&limiter, Class::Read, "alice").await;
        server.freeze();
        let started = Instant::now();
        assert_fails(&limiter, FailureCode::DeadlineExceeded).await;
        let elapsed = started.elapsed();
        assert!(elapsed >= 2 * TIMEOUT && elapsed < 2 * TIMEOUT + MARGIN, "{elapsed:?}");
        server.thaw();
        assert!(until_decided(&limiter, Class::Read, "bob").await.permitted());
    }
}

#[tokio::test]
async fn frozen_for_so_long_that_requests_fail_at_once() {
    for program in installed("frozen_for_so_long_that_requests_fail_at_once") {
        let server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        left(&limiter, Class::Read, "alice").await;
        server.freeze();
        let deadline = Instant::now() + PATIENCE;
        // Some request finds that nothing has answered for seconds; those after it do not wait any more.
        loop {
            let started = Instant::now();
            let decision = acquire(&limiter, Class::Read, "alice").await;
            assert_eq!(decision.outcome(), Outcome::BackendFailureOpen);
            if started.elapsed() < TIMEOUT / 2 {
                break;
            }
            assert!(Instant::now() < deadline, "requests still wait for a dead connection");
        }
        server.thaw();
        assert_eq!(until_decided(&limiter, Class::Read, "bob").await.remaining(), Some(2));
    }
}

#[tokio::test]
async fn a_thousand_requests_at_once_on_a_frozen_server_all_end_with_their_deadline() {
    for program in installed("a_thousand_requests_at_once_on_a_frozen_server") {
        let server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        left(&limiter, Class::Read, "alice").await;
        server.freeze();
        let started = Instant::now();
        let requests: Vec<_> = (0..1_000)
            .map(|number| {
                let limiter = limiter.clone();
                tokio::spawn(async move { acquire(&limiter, Class::Write, number).await })
            })
            .collect();
        for request in requests {
            let decision = request.await.unwrap();
            assert_eq!(decision.outcome(), Outcome::BackendFailureClosed);
        }
        assert!(started.elapsed() < TIMEOUT + MARGIN, "{:?}", started.elapsed());
        server.thaw();
        assert!(until_decided(&limiter, Class::Write, "bob").await.permitted());
    }
}

#[tokio::test]
async fn scripts_flushed_and_the_count_goes_on() {
    for program in installed("scripts_flushed_and_the_count_goes_on") {
        let server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        assert_eq!(left(&limiter, Class::Read, "alice").await, 2);
        let _: () = redis::cmd("SCRIPT").arg("FLUSH").query(&mut server.connection()).unwrap();
        assert_eq!(left(&limiter, Class::Read, "alice").await, 1);
        assert_eq!(left(&limiter, Class::Read, "alice").await, 0);
        assert_eq!(calls(&server, "eval"), 2);
    }
}

#[tokio::test]
async fn a_read_only_replica_decides_nothing_until_it_is_promoted() {
    for program in installed("a_read_only_replica_decides_nothing_until_it_is_promoted") {
        let primary = Server::start(program, &[]);
        let replica = Server::start(program, &[&format!("replicaof 127.0.0.1 {}", primary.port())]);
        let limiter = limiter(&replica.url());
        assert_fails(&limiter, FailureCode::BackendRejected).await;
        let _: () =
            redis::cmd("REPLICAOF").arg("NO").arg("ONE").query(&mut replica.connection()).unwrap();
        assert_eq!(until_decided(&limiter, Class::Write, "alice").await.remaining(), Some(2));
    }
}

#[tokio::test]
async fn out_of_memory() {
    for program in installed("out_of_memory") {
        let server = Server::start(program, &["maxmemory-policy noeviction"]);
        let limiter = limiter(&server.url());
        let set_memory = |bytes: &str| {
            let mut set = redis::cmd("CONFIG");
            set.arg("SET").arg("maxmemory").arg(bytes);
            set.query::<()>(&mut server.connection()).unwrap();
        };
        set_memory("1");
        assert_fails(&limiter, FailureCode::BackendRejected).await;
        set_memory("0");
        assert_eq!(left(&limiter, Class::Write, "alice").await, 2);
    }
}

#[tokio::test]
async fn an_answer_after_the_deadline_is_dropped_and_nothing_is_sent_twice() {
    for program in installed("an_answer_after_the_deadline_is_dropped_and_nothing_is_sent_twice") {
        let server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        assert_eq!(left(&limiter, Class::Write, "alice").await, 2);
        let before = calls(&server, "evalsha");
        server.freeze();
        let late = acquire(&limiter, Class::Write, "alice").await;
        assert_eq!(late.failure(), Some(FailureCode::DeadlineExceeded));
        server.thaw();
        // Only once did the server take a token late, and each answer goes to whoever asked.
        assert_eq!(left(&limiter, Class::Write, "bob").await, 2);
        assert_eq!(left(&limiter, Class::Write, "alice").await, 0);
        assert_eq!(calls(&server, "evalsha"), before + 3);
    }
}

#[tokio::test]
async fn a_request_that_is_cancelled_leaves_the_connection_in_order() {
    for program in installed("a_request_that_is_cancelled_leaves_the_connection_in_order") {
        let server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        left(&limiter, Class::Read, "warm").await;
        for number in 0..200 {
            let mut cancelled = Box::pin(limiter.acquire(Class::Read, "cancelled"));
            let polled = futures_once(cancelled.as_mut()).await;
            drop(cancelled);
            assert!(polled.is_none(), "a round trip takes longer than one poll");
            assert_eq!(left(&limiter, Class::Read, number).await, 2);
        }
    }
}

#[tokio::test]
async fn every_way_to_ask_follows_the_failure_mode() {
    // Nothing listens there.
    let url = format!("redis://127.0.0.1:{}", free_port());
    let tier = |class: tollgate::config::ClassBuilder| class.tier("gold", 60, 9);
    let config = config(&url).class(Class::Read, tier).class(Class::Write, tier).build().unwrap();
    let limiter = Limiter::new(&config).unwrap();
    for (class, outcome, open) in [
        (Class::Read, Outcome::BackendFailureOpen, true),
        (Class::Write, Outcome::BackendFailureClosed, false),
    ] {
        let handle = limiter.class(class);
        let by_length = limiter.class(class).keyed_by(|text: &str| text.len());
        let [together] = limiter.acquire_all([limiter.acquire(class, "a")]).await.unwrap();
        for decision in [
            limiter.acquire(class, "a").await.unwrap(),
            limiter.peek(class, "a").await.unwrap(),
            handle.acquire("a").await.unwrap(),
            handle.peek("a").await.unwrap(),
            handle.clone().into_owned().acquire("a").await.unwrap(),
            handle.clone().cost(2).unwrap().acquire("a").await.unwrap(),
            limiter.class(class).tier("gold").acquire("a").await.unwrap(),
            by_length.acquire("a").await.unwrap(),
            together,
        ] {
            assert_eq!((decision.outcome(), decision.permitted()), (outcome, open));
        }
        match handle.execute("a", async || "ran").await {
            Ok(ran) => assert_eq!((ran, open), ("ran", true)),
            Err(error) => assert!(matches!(error, NotAdmitted::BackendFailure(_)) && !open),
        }
        #[cfg(feature = "gate")]
        assert_answers(&limiter, class, open).await;
    }
}

/// The gate admits without fields, or answers 503.
#[cfg(feature = "gate")]
async fn assert_answers(limiter: &Limiter, class: Class, open: bool) {
    use tollgate::http::{Checked, Gate, RequestView};
    use tollgate::{Caller, Declaration};

    let gate = Gate::builder(limiter.clone()).build().unwrap();
    let declaration = Declaration::Limited { class, cost: 1, action: None, operation: None };
    let mut request = http::Request::new(()).into_parts().0;
    request.extensions.insert(Caller::principal("alice"));
    match gate.check(&declaration, &RequestView::new(&request)).await {
        Checked::Admitted(fields) => assert!(open && fields.is_empty()),
        Checked::Refused(response) => assert_eq!((response.status().as_u16(), open), (503, false)),
    }
}

/// Polls a future once.
async fn futures_once<F: Future + Unpin>(mut future: F) -> Option<F::Output> {
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(match std::pin::Pin::new(&mut future).poll(context) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        })
    })
    .await
}

#[tokio::test]
async fn a_wrong_password_is_not_shown_and_can_be_corrected_on_the_server() {
    for program in installed("a_wrong_password_is_not_shown") {
        let server = Server::start(program, &["requirepass right"]);
        let url = format!("redis://:wr0ng-passw0rd@127.0.0.1:{}", server.port());
        let limiter = limiter(&url);
        assert_fails(&limiter, FailureCode::BackendRejected).await;
        let shown = format!("{limiter:?} {:?}", config(&url).build().unwrap());
        assert!(!shown.contains("wr0ng") && !shown.contains(super::SECRET), "{shown}");
        let with_password = format!("redis://:right@127.0.0.1:{}", server.port());
        let mut connection = redis::Client::open(with_password).unwrap().get_connection().unwrap();
        let mut set = redis::cmd("CONFIG");
        set.arg("SET")
            .arg("requirepass")
            .arg("wr0ng-passw0rd")
            .query::<()>(&mut connection)
            .unwrap();
        assert_eq!(until_decided(&limiter, Class::Write, "alice").await.remaining(), Some(2));
    }
}

#[tokio::test]
async fn a_connection_is_made_by_one_request_for_all() {
    for program in installed("a_connection_is_made_by_one_request_for_all") {
        let server = Server::start(program, &[]);
        let limiter = with_clock(&server.url(), ManualClock::new());
        let requests: Vec<_> = (0..500)
            .map(|number| {
                let limiter = limiter.clone();
                tokio::spawn(async move { acquire(&limiter, Class::Write, number).await })
            })
            .collect();
        for request in requests {
            assert_eq!(request.await.unwrap().outcome(), Outcome::Permitted);
        }
        let info: String = redis::cmd("INFO").arg("stats").query(&mut server.connection()).unwrap();
        // The limiter's, and this one.
        assert!(info.contains("total_connections_received:2\r"), "{info}");
    }
}

#[test]
fn a_limiter_outlives_the_runtime_that_connected_it() {
    for program in installed("a_limiter_outlives_the_runtime_that_connected_it") {
        let server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        let runtime =
            || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        assert_eq!(runtime().block_on(left(&limiter, Class::Write, "alice")), 2);
        let second = runtime().block_on(until_decided(&limiter, Class::Write, "alice"));
        assert_eq!(second.remaining(), Some(1));
    }
}

#[test]
fn outside_of_a_runtime_the_failure_mode_decides() {
    for program in installed("outside_of_a_runtime_the_failure_mode_decides") {
        let server = Server::start(program, &[]);
        let limiter = limiter(&server.url());
        let mut acquire = Box::pin(limiter.acquire(Class::Write, "alice"));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let std::task::Poll::Ready(decision) = acquire.as_mut().poll(&mut context) else {
            panic!("it waits for nothing");
        };
        assert_eq!(decision.unwrap().failure(), Some(FailureCode::BackendUnavailable));
    }
}
