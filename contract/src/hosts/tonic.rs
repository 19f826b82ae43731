//! Tonic: its client and its server, one behind the other without a socket between them.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use http::Request;
use http::uri::PathAndQuery;
use tollgate::http::Gate;
use tollgate::tower::{GrpcLayer, LimitLayer};
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;
use tower::util::BoxCloneService;
use tower::{Layer as _, ServiceExt as _, service_fn};

use super::limit_of;
use crate::host::{Answer, Ask, Calls, Host, Outcome, PEER, Route, detail};

type Service = BoxCloneService<Request<Body>, http::Response<Body>, Infallible>;

pub(crate) struct Tonic(Service);

impl Host for Tonic {
    async fn start(gate: Gate, calls: Calls) -> Self {
        let edge = GrpcLayer::new(LimitLayer::edge(gate.clone()));
        let service = service_fn(move |request: Request<Body>| {
            limited(Route::of(request.uri().path()), &gate, &calls).oneshot(request)
        });
        Self(BoxCloneService::new(edge.layer(service)))
    }

    async fn send(&self, ask: &Ask) -> Answer {
        let service = self.0.clone().map_request(|mut request: Request<Body>| {
            let peer = SocketAddr::new(PEER.parse().expect("an address"), 4000);
            request.extensions_mut().insert(peer);
            request
        });
        let mut client = tonic::client::Grpc::new(service);
        let mut request = tonic::Request::new(());
        for (name, value) in &ask.headers {
            request.metadata_mut().insert(*name, value.parse().expect("a value"));
        }
        client.ready().await.expect("always ready");
        let path = PathAndQuery::from_static(ask.route.path());
        match client.unary(request, path, Nothing).await {
            Ok(response) => Answer {
                result: Outcome::Served,
                headers: response.metadata().clone().into_headers(),
                body: Vec::new(),
            },
            Err(status) => refused(&status),
        }
    }

    fn expect_quota_refusal(answer: &Answer, _: &str, retry_after: u64) {
        let status = Status::from_header_map(&answer.headers).expect("a status");
        assert_eq!(status.message(), detail(retry_after));
        let retry_info = status.get_details_retry_info().expect("a status with details");
        assert_eq!(retry_info.retry_delay, Some(Duration::from_secs(retry_after)));
    }
}

fn refused(status: &Status) -> Answer {
    let result = match status.code() {
        Code::FailedPrecondition => Outcome::Failed,
        Code::ResourceExhausted => Outcome::QuotaExceeded,
        Code::Unauthenticated => Outcome::Unauthenticated,
        Code::Unavailable => Outcome::Unavailable,
        other => panic!("nothing in the contract is answered with {other}: {status}"),
    };
    let mut headers = http::HeaderMap::new();
    status.add_header(&mut headers).expect("a status of this program");
    Answer { result, headers, body: Vec::new() }
}

/// A route behind its limit.
fn limited(route: Route, gate: &Gate, calls: &Calls) -> Service {
    let service = handler(route, calls);
    match limit_of(route, gate) {
        Some(layer) => BoxCloneService::new(GrpcLayer::new(layer).layer(service)),
        None => service,
    }
}

/// What the generated code of a service does with a request to one of its methods.
fn handler(route: Route, calls: &Calls) -> Service {
    let calls = calls.clone();
    BoxCloneService::new(service_fn(move |request: Request<Body>| {
        let calls = calls.clone();
        let method = service_fn(move |_: tonic::Request<()>| {
            calls.count();
            std::future::ready(match route {
                Route::Failing => Err(Status::failed_precondition("gone")),
                _ => Ok(tonic::Response::new(())),
            })
        });
        async move { Ok(tonic::server::Grpc::new(Nothing).unary(method, request).await) }
    }))
}

/// The codec of messages that hold nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Nothing;

impl Codec for Nothing {
    type Encode = ();
    type Decode = ();
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Nothing {
    type Item = ();
    type Error = Status;

    fn encode(&mut self, (): (), _: &mut EncodeBuf<'_>) -> Result<(), Status> {
        Ok(())
    }
}

impl Decoder for Nothing {
    type Item = ();
    type Error = Status;

    fn decode(&mut self, _: &mut DecodeBuf<'_>) -> Result<Option<()>, Status> {
        Ok(Some(()))
    }
}
