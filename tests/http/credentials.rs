//! Failed credentials: what counts, for whom, and when the authenticator is asked.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use tollgate::clock::{Clock, ManualClock};
use tollgate::config::EdgeKey;
use tollgate::decision::Outcome;
use tollgate::http::{CredentialGuard, FailedCredentials, Gate, RequestView};
use tollgate::observe::{DecisionEvent, Observer};
use tollgate::tower::{CredentialsLayer, LimitLayer};
use tollgate::{Class, Config, Declaration, Limiter};
use tower::{Layer as _, Service, ServiceExt as _, service_fn};

use super::support::{PEER, admitted, builder, builder_with, request};

/// 20 a minute, burst 10, by client address.
const PUBLIC_AUTH: Declaration<Class> = Class::PublicAuth.__declaration();

/// An authenticator that counts its calls: `good` is a token, any other fails for the reason that it
/// is.
struct Authenticator {
    calls: AtomicU32,
}

impl Authenticator {
    fn new() -> Arc<Self> {
        Arc::new(Self { calls: AtomicU32::new(0) })
    }

    fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }

    fn answer(&self, request: &Request<Bytes>) -> Response<Bytes> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let token = request.headers().get("authorization");
        let reason = match token.map(|token| token.to_str().expect("a test's token")) {
            None | Some("good") => return Response::new(Bytes::from("welcome")),
            Some(reason) => reason.to_owned(),
        };
        let mut response = Response::new(Bytes::from("who?"));
        *response.status_mut() = StatusCode::UNAUTHORIZED;
        response.extensions_mut().insert(FailedCredentials::new(reason));
        response
    }
}

fn guarded(
    gate: &Gate,
    authenticator: &Arc<Authenticator>,
) -> impl Service<Request<Bytes>, Response = Response<Bytes>, Error = Infallible, Future: Send>
+ Clone
+ Send
+ use<> {
    let authenticator = Arc::clone(authenticator);
    let inner = service_fn(move |request: Request<Bytes>| {
        let authenticator = Arc::clone(&authenticator);
        async move { Ok::<_, Infallible>(authenticator.answer(&request)) }
    });
    CredentialsLayer::new(CredentialGuard::new(gate.clone(), Class::PublicAuth)).layer(inner)
}

async fn send<S>(service: &S, token: Option<&str>) -> Response<Bytes>
where
    S: Service<Request<Bytes>, Response = Response<Bytes>, Error = Infallible> + Clone,
{
    let mut request = Request::new(Bytes::new());
    let peer: std::net::IpAddr = PEER.parse().expect("an address");
    request.extensions_mut().insert(std::net::SocketAddr::new(peer, 4000));
    if let Some(token) = token {
        request.headers_mut().insert("authorization", token.parse().expect("a header"));
    }
    service.clone().oneshot(request).await.expect("infallible")
}

fn gate() -> (Gate, Arc<ManualClock>) {
    let clock = Arc::default();
    (builder(&clock).build().expect("a gate"), clock)
}

#[tokio::test]
async fn failures_use_up_the_class_and_then_nobody_is_authenticated() {
    let (gate, clock) = gate();
    let authenticator = Authenticator::new();
    let service = guarded(&gate, &authenticator);
    for left in (0..10).rev() {
        let response = send(&service, Some("invalid_token")).await;
        assert_eq!(response.status(), 401);
        // One token comes in 3 seconds.
        let spent = 10 - left;
        let state = format!("\"rl.public_auth\";r={left};t={}", spent * 3);
        assert_eq!(response.headers()["ratelimit"], state);
        assert_eq!(response.headers()["ratelimit-policy"], "\"rl.public_auth\";q=20;w=60");
    }
    assert_eq!(authenticator.calls(), 10);

    for token in ["good", "invalid_token"] {
        let response = send(&service, Some(token)).await;
        assert_eq!(response.status(), 429);
        assert_eq!(response.headers()["retry-after"], "3");
        assert_eq!(response.headers()["ratelimit"], "\"rl.public_auth\";r=0;t=30");
        assert_eq!(response.headers()["ratelimit-policy"], "\"rl.public_auth\";q=20;w=60");
    }
    assert_eq!(authenticator.calls(), 10);

    clock.advance(Duration::from_secs(3));
    assert_eq!(send(&service, Some("good")).await.status(), 200);
    assert_eq!(authenticator.calls(), 11);
}

#[tokio::test]
async fn observers_see_each_failure_and_each_refusal_once_and_nothing_else() {
    let (gate, _) = gate();
    let outcomes = Arc::new(Outcomes::default());
    gate.limiter().observe(Arc::clone(&outcomes));
    let service = guarded(&gate, &Authenticator::new());
    for _ in 0..5 {
        send(&service, Some("good")).await;
    }
    for _ in 0..12 {
        send(&service, Some("invalid_token")).await;
    }
    assert_eq!(outcomes.permitted.load(Ordering::Relaxed), 10);
    assert_eq!(outcomes.refused.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn in_the_shadow_observers_see_what_would_be_refused_as_often_as_when_it_is() {
    let config = Config::builder().class(Class::PublicAuth, |class| class.shadow(true));
    let config = config.build().expect("nothing but a switch");
    let gate = builder_with(&config, &Arc::default()).build().expect("a gate");
    let outcomes = Arc::new(Outcomes::default());
    gate.limiter().observe(Arc::clone(&outcomes));
    let authenticator = Authenticator::new();
    let service = guarded(&gate, &authenticator);
    for _ in 0..12 {
        let response = send(&service, Some("invalid_token")).await;
        assert_eq!((response.status().as_u16(), response.headers().get("ratelimit")), (401, None));
    }
    assert_eq!(send(&service, Some("good")).await.status(), 200);
    assert_eq!(authenticator.calls(), 13);
    // Two failures and a good token that a class which is not in the shadow would have refused.
    assert_eq!(outcomes.would_be_refused.load(Ordering::Relaxed), 3);
    assert_eq!(outcomes.permitted.load(Ordering::Relaxed), 10);
}

/// Counts decisions of the class of failures.
#[derive(Default)]
struct Outcomes {
    permitted: AtomicU32,
    refused: AtomicU32,
    would_be_refused: AtomicU32,
}

impl Observer for Outcomes {
    fn decided(&self, event: &DecisionEvent<'_>) {
        assert_eq!(event.class, "rl.public_auth");
        let counter = match (event.outcome, event.permitted()) {
            (Outcome::QuotaExceeded, true) => &self.would_be_refused,
            (_, true) => &self.permitted,
            (_, false) => &self.refused,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn good_credentials_and_none_cost_nothing_and_carry_no_fields() {
    let (gate, _) = gate();
    let authenticator = Authenticator::new();
    let service = guarded(&gate, &authenticator);
    for token in [Some("good"), None].into_iter().cycle().take(40) {
        let response = send(&service, token).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers().get("ratelimit"), None);
    }
    assert_eq!(authenticator.calls(), 40);
}

#[tokio::test]
async fn requests_without_credentials_pass_an_empty_bucket() {
    let (gate, _) = gate();
    let service = guarded(&gate, &Authenticator::new());
    for _ in 0..10 {
        send(&service, Some("invalid_token")).await;
    }
    assert_eq!(send(&service, Some("good")).await.status(), 429);
    assert_eq!(send(&service, None).await.status(), 200);
}

#[tokio::test]
async fn an_expired_token_and_a_nonce_that_is_asked_for_do_not_count() {
    let (gate, _) = gate();
    let service = guarded(&gate, &Authenticator::new());
    for reason in ["token_expired", "use_dpop_nonce"].into_iter().cycle().take(40) {
        let response = send(&service, Some(reason)).await;
        assert_eq!(response.status(), 401);
        assert_eq!(response.headers().get("ratelimit"), None);
    }
}

#[tokio::test]
async fn only_a_401_that_is_marked_counts() {
    let (gate, _) = gate();
    let layer = CredentialsLayer::new(CredentialGuard::new(gate.clone(), Class::PublicAuth));
    let cases = [(401, false), (403, true), (200, true)];
    for (status, marked) in cases {
        let service = layer.layer(service_fn(move |_: Request<Bytes>| async move {
            let mut response = Response::builder().status(status).body(Bytes::new()).unwrap();
            if marked {
                response.extensions_mut().insert(FailedCredentials::new("invalid_token"));
            }
            Ok::<_, Infallible>(response)
        }));
        for _ in 0..20 {
            let response = send(&service, Some("anything")).await;
            assert_eq!(response.status(), status);
            assert_eq!(response.headers().get("ratelimit"), None);
        }
    }
}

#[tokio::test]
async fn a_login_handler_that_was_charged_is_not_charged_again() {
    let (gate, _) = gate();
    let login = gate.clone();
    let layer = CredentialsLayer::new(CredentialGuard::new(gate, Class::PublicAuth));
    let service = layer.layer(service_fn(move |request: Request<Bytes>| {
        let gate = login.clone();
        async move {
            let (parts, _) = request.into_parts();
            let view = RequestView::new(&parts).peer(PEER.parse().ok());
            let tollgate::http::Checked::Admitted(fields) = gate.check(&PUBLIC_AUTH, &view).await
            else {
                panic!("refused");
            };
            let mut response = Response::builder().status(401).body(Bytes::new()).unwrap();
            response.extensions_mut().insert(FailedCredentials::new("wrong_password"));
            fields.write(response.headers_mut());
            Ok::<_, Infallible>(response)
        }
    }));
    for left in (5..10).rev() {
        let response = send(&service, Some("anything")).await;
        let spent = 10 - left;
        let state = format!("\"rl.public_auth\";r={left};t={}", spent * 3);
        assert_eq!(response.headers()["ratelimit"], state);
    }
}

#[tokio::test]
async fn failures_take_from_the_same_bucket_as_handlers_of_the_class() {
    let (gate, _) = gate();
    let service = guarded(&gate, &Authenticator::new());
    for _ in 0..9 {
        send(&service, Some("invalid_token")).await;
    }
    let fields = admitted(&gate, &PUBLIC_AUTH, &request()).await;
    assert_eq!(fields, "\"rl.public_auth\";q=20;w=60 | \"rl.public_auth\";r=0;t=30");
    assert_eq!(send(&service, Some("good")).await.status(), 429);
}

/// A clock that can be told to jump after it was read once more.
#[derive(Default)]
struct Jumping {
    now: AtomicU64,
    after_next: AtomicU64,
}

impl Clock for Jumping {
    fn now(&self) -> u64 {
        let jump = self.after_next.swap(0, Ordering::Relaxed);
        self.now.fetch_add(jump, Ordering::Relaxed)
    }
}

#[tokio::test]
async fn a_token_that_comes_while_the_guard_looks_is_left_for_failures() {
    let clock = Arc::new(Jumping::default());
    let limiter = Limiter::with_clock(&Config::default(), Arc::clone(&clock)).unwrap();
    let gate = Gate::builder(limiter).build().unwrap();
    let guard = CredentialGuard::new(gate, Class::PublicAuth);
    let (mut parts, ()) = Request::new(()).into_parts();
    parts.headers.insert("authorization", "anything".parse().unwrap());
    let view = RequestView::new(&parts).peer(PEER.parse().ok());
    for _ in 0..10 {
        let attempt = guard.admit(&view).await.expect("tokens are left");
        let _ = attempt.failed().await;
    }
    // The guard finds the bucket empty, and a token is there when it asks the limiter.
    clock.after_next.store(3_000_000, Ordering::Relaxed);
    drop(guard.admit(&view).await.expect("a token has come"));
    let attempt = guard.admit(&view).await.expect("good credentials have taken nothing");
    let _ = attempt.failed().await;
    assert_eq!(guard.admit(&view).await.expect_err("that was the token").status(), 429);
}

#[tokio::test]
async fn what_the_edge_took_is_given_back_when_the_guard_refuses() {
    let config = Config::builder()
        .edge(|rule| rule.name("all").keys([EdgeKey::Global]).per_minute(1).burst(20))
        .build();
    let config = config.expect("limits in range");
    let gate = builder_with(&config, &Arc::default()).build().unwrap();
    let service = LimitLayer::edge(gate.clone()).layer(guarded(&gate, &Authenticator::new()));
    for _ in 0..15 {
        send(&service, Some("invalid_token")).await;
    }
    let response = send(&service, None).await;
    assert_eq!(response.headers()["ratelimit"], "\"all\";r=9;t=660");
}

#[tokio::test]
async fn what_credentials_are_can_be_said() {
    let (gate, _) = gate();
    let authenticator = Authenticator::new();
    let guard = CredentialGuard::new(gate.clone(), Class::PublicAuth)
        .credentials(|request| request.headers().contains_key("cookie"));
    for _ in 0..10 {
        send(&guarded(&gate, &authenticator), Some("invalid_token")).await;
    }
    let (mut parts, ()) = Request::new(()).into_parts();
    let admits = async |parts: &http::request::Parts| {
        guard.admit(&RequestView::new(parts).peer(PEER.parse().ok())).await.is_ok()
    };
    parts.headers.insert("authorization", "good".parse().unwrap());
    assert!(admits(&parts).await);
    parts.headers.insert("cookie", "session=1".parse().unwrap());
    assert!(!admits(&parts).await);
}

#[tokio::test]
async fn by_hand_the_guard_does_the_same() {
    let (gate, _) = gate();
    let guard = CredentialGuard::new(gate, Class::PublicAuth);
    let (mut parts, ()) = Request::new(()).into_parts();
    parts.headers.insert("authorization", "guess".parse().unwrap());
    let view = RequestView::new(&parts).peer(PEER.parse().ok());
    for _ in 0..10 {
        let attempt = guard.admit(&view).await.expect("tokens are left");
        assert!(!attempt.failed().await.is_empty());
    }
    let refusal = guard.admit(&view).await.expect_err("none is left");
    assert_eq!(refusal.status(), 429);
}
