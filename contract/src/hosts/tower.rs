//! A plain service of tower: layers around functions, chosen by the path.

use std::convert::Infallible;
use std::net::SocketAddr;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use tollgate::http::Gate;
use tollgate::tower::LimitLayer;
use tower::util::BoxCloneService;
use tower::{Layer as _, ServiceExt as _, service_fn};

use super::limit_of;
use crate::host::{Answer, Ask, Calls, Host, PEER, Route};

type Service = BoxCloneService<Request<()>, Response<Full<Bytes>>, Infallible>;

pub(crate) struct Tower(Service);

impl Host for Tower {
    async fn start(gate: Gate, calls: Calls) -> Self {
        let edge = LimitLayer::edge(gate.clone());
        let service = service_fn(move |request: Request<()>| {
            limited(Route::of(request.uri().path()), &gate, &calls).oneshot(request)
        });
        Self(BoxCloneService::new(edge.layer(service)))
    }

    async fn send(&self, ask: &Ask) -> Answer {
        let mut request = ask.request(());
        request.extensions_mut().insert(SocketAddr::new(PEER.parse().expect("an address"), 4000));
        let response = self.0.clone().oneshot(request).await.expect("the service answers");
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("a body in memory").to_bytes();
        Answer::of_http(parts.status.as_u16(), parts.headers, body.into())
    }
}

/// A route behind its limit.
fn limited(route: Route, gate: &Gate, calls: &Calls) -> Service {
    let service = handler(route, calls);
    match limit_of(route, gate) {
        Some(layer) => BoxCloneService::new(layer.layer(service)),
        None => service,
    }
}

fn handler(route: Route, calls: &Calls) -> Service {
    let calls = calls.clone();
    BoxCloneService::new(service_fn(move |request: Request<()>| {
        let mut response = Response::new(Full::default());
        if request.method() == "OPTIONS" {
            *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
        } else {
            calls.count();
            if route == Route::Failing {
                *response.status_mut() = StatusCode::GONE;
            }
        }
        std::future::ready(Ok(response))
    }))
}
