//! What a limit adds to a request of an axum application, without a network.

use std::hint::black_box;
use std::net::SocketAddr;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response, StatusCode};
use axum::routing::get;
use tollgate::http::Gate;
use tollgate::{Class, Config, Limiter, rate_limited};
use tower_service::Service;

use crate::contenders::PLENTY;
use crate::race::{Lane, Standings, race};

pub(crate) const BARE: &str = "bare axum";
pub(crate) const TOLLGATE: &str = "tollgate";
pub(crate) const TOWER_GOVERNOR: &str = "tower_governor";
pub(crate) const AXUM_GOVERNOR: &str = "axum-governor";

const REQUESTS: usize = 10_000;

/// The same handler without a limit and with one by the client's address.
pub(crate) fn ask(rounds: usize) -> Standings {
    let lanes = vec![
        lane(BARE, Router::new().route("/", get(plain)), &[]),
        lane(TOLLGATE, tollgate(), &["ratelimit", "ratelimit-policy"]),
        lane(TOWER_GOVERNOR, tower_governor(), &["x-ratelimit-limit", "x-ratelimit-remaining"]),
        lane(AXUM_GOVERNOR, axum_governor(), &["ratelimit", "ratelimit-policy"]),
    ];
    race(lanes, rounds)
}

async fn plain() -> &'static str {
    "hello"
}

#[rate_limited(Class::Read)]
async fn limited() -> &'static str {
    "hello"
}

fn tollgate() -> Router {
    let config = Config::builder().class(Class::Read, |read| read.burst(PLENTY.into())).build();
    let limiter = Limiter::new(&config.expect("all of it is in range")).expect("there is memory");
    let gate = Gate::builder(limiter).build().expect("no custom keys");
    let app = tollgate::axum::routing::Router::new();
    app.route("/", tollgate::axum::routing::get(limited)).with_state(gate).into()
}

fn tower_governor() -> Router {
    use tower_governor::GovernorLayer;
    use tower_governor::governor::GovernorConfigBuilder;

    let mut config = GovernorConfigBuilder::default();
    let config = config.per_second(60).burst_size(PLENTY).use_headers().finish();
    let layer = GovernorLayer::new(config.expect("neither is zero"));
    Router::new().route("/", get(plain)).layer(layer)
}

fn axum_governor() -> Router {
    use axum_governor::extractor::PeerIp;
    use axum_governor::{GovernorConfigBuilder, GovernorLayer, Quota, nz};

    let quota = Quota::requests_per_minute(nz!(1_u32)).burst(nz!(PLENTY));
    let config = GovernorConfigBuilder::default().with_extractor(PeerIp::default());
    let config = config.expect_connect_info().quota_default(quota).gc_disable().finish();
    let layer = GovernorLayer::new(config.expect("there is a quota"));
    Router::new().route("/", get(plain)).layer(layer)
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
