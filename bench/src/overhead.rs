//! What a limit adds to a request of an axum application, without a network.

use std::hint::black_box;
use std::net::SocketAddr;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response, StatusCode, Uri};
use axum::routing::get;
use tollgate::axum::routing as checked;
use tollgate::clock::{Clock, SystemClock, TscClock};
use tollgate::http::Gate;
use tollgate::{Class, Config, Limiter, rate_limited};
use tower_service::Service;

use crate::contenders::PLENTY;
use crate::decisions::{TOLLGATE, TOLLGATE_TSC};
use crate::race::{Lane, Standings, race};

pub(crate) const BARE: &str = "bare axum";
pub(crate) const TOWER_GOVERNOR: &str = "tower_governor";
pub(crate) const AXUM_GOVERNOR: &str = "axum-governor";

const REQUESTS: usize = 10_000;
const OUR_FIELDS: &[&str] = &["ratelimit", "ratelimit-policy"];
/// Those that `tower_governor` has instead.
const ITS_FIELDS: &[&str] = &["x-ratelimit-limit", "x-ratelimit-remaining"];

/// The same handler without a limit and with one by the client's address.
pub(crate) fn ask(rounds: usize) -> Standings {
    race(lanes(|| Router::new().route("/", get(plain)), || checked::get(limited)), rounds)
}

/// The same of a handler that takes an argument.
pub(crate) fn ask_with_argument(rounds: usize) -> Standings {
    let bare = || Router::new().route("/", get(plain_of_uri));
    race(lanes(bare, || checked::get(limited_of_uri)), rounds)
}

fn lanes(
    bare: impl Fn() -> Router,
    ours: impl Fn() -> checked::MethodRouter<Gate>,
) -> Vec<Lane<'static>> {
    vec![
        lane(BARE, bare(), &[]),
        lane(TOLLGATE, tollgate(SystemClock::new(), ours()), OUR_FIELDS),
        lane(TOLLGATE_TSC, tollgate(TscClock::new(), ours()), OUR_FIELDS),
        lane(TOWER_GOVERNOR, tower_governor(bare()), ITS_FIELDS),
        lane(AXUM_GOVERNOR, axum_governor(bare()), OUR_FIELDS),
    ]
}

async fn plain() -> &'static str {
    "hello"
}

#[rate_limited(Class::Read)]
async fn limited() -> &'static str {
    "hello"
}

async fn plain_of_uri(uri: Uri) -> &'static str {
    black_box(uri);
    "hello"
}

#[rate_limited(Class::Read)]
async fn limited_of_uri(uri: Uri) -> &'static str {
    black_box(uri);
    "hello"
}

fn tollgate(clock: impl Clock + 'static, route: checked::MethodRouter<Gate>) -> Router {
    let config = Config::builder().class(Class::Read, |read| read.burst(PLENTY.into())).build();
    let limiter = Limiter::with_clock(&config.expect("all of it is in range"), clock);
    let gate = Gate::builder(limiter.expect("there is memory")).build().expect("no custom keys");
    checked::Router::new().route("/", route).with_state(gate).into()
}

fn tower_governor(app: Router) -> Router {
    use tower_governor::GovernorLayer;
    use tower_governor::governor::GovernorConfigBuilder;

    let mut config = GovernorConfigBuilder::default();
    let config = config.per_second(60).burst_size(PLENTY).use_headers().finish();
    app.layer(GovernorLayer::new(config.expect("neither is zero")))
}

fn axum_governor(app: Router) -> Router {
    use axum_governor::extractor::PeerIp;
    use axum_governor::{GovernorConfigBuilder, GovernorLayer, Quota, nz};

    let quota = Quota::requests_per_minute(nz!(1_u32)).burst(nz!(PLENTY));
    let config = GovernorConfigBuilder::default().with_extractor(PeerIp::default());
    let config = config.expect_connect_info().quota_default(quota).gc_disable().finish();
    app.layer(GovernorLayer::new(config.expect("there is a quota")))
}

fn lane(name: &'static str, mut app: Router, fields: &'static [&'static str]) -> Lane<'static> {
    let answer = answer(&mut app);
    for field in fields {
        assert!(answer.headers().contains_key(*field), "{name} writes no {field}");
    }
    Lane::new(name, move || {
        let started = Instant::now();
        for _ in 0..REQUESTS {
            let answer = black_box(self::answer(black_box(&mut app)));
            assert_eq!(answer.status(), StatusCode::OK, "{name} refuses a request");
        }
        started.elapsed().as_nanos() as f64 / REQUESTS as f64
    })
}

/// Makes a request as a server does for a connection, and calls the application, which has nothing to wait for.
fn answer(app: &mut Router) -> Response<Body> {
    let mut request = Request::new(Body::empty());
    let peer = SocketAddr::from(([192, 0, 2, 7], 50_000));
    request.extensions_mut().insert(ConnectInfo(peer));
    let mut context = Context::from_waker(Waker::noop());
    match pin!(app.call(request)).poll(&mut context) {
        Poll::Ready(Ok(response)) => response,
        Poll::Pending => unreachable!("neither the handler nor a limit waits"),
    }
}
