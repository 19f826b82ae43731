//! Two pages, one of them limited, and the edge rules of the configuration in front of both.

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tollgate::Class;
use tollgate::http::Gate;
use tollgate::tower::LimitLayer;
use tower::util::BoxCloneService;
use tower::{Layer as _, ServiceExt as _, service_fn};

type Answer = Response<Full<Bytes>>;
type App = BoxCloneService<Request<Incoming>, Answer, Infallible>;

/// Serves connections until the listener fails.
pub(crate) async fn serve(listener: TcpListener, gate: Gate) -> Result<(), Box<dyn Error>> {
    let app = app(gate)?;
    loop {
        let (stream, peer) = listener.accept().await?;
        tokio::spawn(connection(stream, peer, app.clone()));
    }
}

/// Everything that is served. All connections have clones of it, which share the gate.
fn app(gate: Gate) -> Result<App, Box<dyn Error>> {
    let search = LimitLayer::class(gate.clone(), Class::Search)?.layer(service_fn(search));
    let pages = service_fn(move |request: Request<Incoming>| {
        let search = search.clone();
        async move {
            match request.uri().path() {
                "/" => Ok(Response::new(Full::from("hello\n"))),
                "/search" => search.oneshot(request).await,
                _ => Ok(not_found()),
            }
        }
    });
    Ok(BoxCloneService::new(LimitLayer::edge(gate).layer(pages)))
}

/// Hyper knows the peer of a connection and not of a request, so each request is told.
async fn connection(stream: TcpStream, peer: SocketAddr, app: App) {
    let app = app.map_request(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        request
    });
    let served = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app))
        .await;
    if let Err(error) = served {
        eprintln!("a connection ended early: {error}");
    }
}

async fn search(_: Request<Incoming>) -> Result<Answer, Infallible> {
    Ok(Response::new(Full::from("found nothing\n")))
}

fn not_found() -> Answer {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}
