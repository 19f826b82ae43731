//! Actix-web: the middleware wraps resources, and the app for the edge and the defaults.

use std::net::SocketAddr;

use actix_web::body::{MessageBody, to_bytes};
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::error::ErrorGone;
use actix_web::http::Method;
use actix_web::test::{TestRequest, init_service, try_call_service};
use actix_web::web::{Data, post, resource};
use actix_web::{App, Error};
use tollgate::actix::Limit;
use tollgate::http::Gate;
use tollgate::{Action, Class};

use super::budget;
use crate::host::{Answer, Ask, Calls, Host, PEER, Route};

pub(crate) struct Actix {
    gate: Gate,
    calls: Calls,
}

async fn served(calls: Data<Calls>) -> &'static str {
    calls.count();
    ""
}

async fn failing(calls: Data<Calls>) -> Result<&'static str, Error> {
    calls.count();
    Err(ErrorGone("gone"))
}

impl Host for Actix {
    async fn start(gate: Gate, calls: Calls) -> Self {
        Self { gate, calls }
    }

    /// Every request goes to another worker.
    async fn send(&self, ask: &Ask) -> Answer {
        let worker = init_service(app(&self.gate, &self.calls)).await;
        let mut request = TestRequest::with_uri(ask.route.path())
            .method(Method::from_bytes(ask.method().as_bytes()).expect("a method"))
            .peer_addr(SocketAddr::new(PEER.parse().expect("an address"), 4000));
        for (name, value) in &ask.headers {
            request = request.insert_header((*name, value.as_str()));
        }
        let (status, head, body) = match try_call_service(&worker, request.to_request()).await {
            Ok(response) => {
                let (_, response) = response.into_parts();
                let (response, body) = response.into_parts();
                let body = to_bytes(body).await.unwrap_or_else(|_| panic!("a body in memory"));
                (response.status(), response.headers().clone(), body)
            }
            Err(error) => {
                let (response, body) = error.error_response().into_parts();
                let body = to_bytes(body).await.expect("a body in memory");
                (response.status(), response.headers().clone(), body)
            }
        };
        let headers = head.iter().map(|(name, value)| {
            let name = http::HeaderName::from_bytes(name.as_str().as_bytes()).expect("a name");
            let value = http::HeaderValue::from_bytes(value.as_bytes()).expect("a value");
            (name, value)
        });
        Answer::of_http(status.as_u16(), headers.collect(), body.into())
    }
}

/// What the closure makes that `HttpServer` calls for each worker.
fn app(
    gate: &Gate,
    calls: &Calls,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody + use<>>,
        Error = Error,
        InitError = (),
    > + use<>,
> {
    let gate = || gate.clone();
    let export = Limit::class(gate(), Class::Export).expect("a class of HTTP");
    let register = Limit::action(gate(), Action::AuthRegister).expect("an action of HTTP");
    let at = |route: Route| resource(route.path());
    App::new()
        .app_data(Data::new(calls.clone()))
        .service(at(Route::Budget).route(post().to(served)).wrap(Limit::budget(gate(), budget())))
        .service(
            at(Route::Exempt)
                .route(post().to(served))
                .wrap(Limit::exempt(gate(), "nothing to protect")),
        )
        .service(at(Route::Export).route(post().to(served)).wrap(export.clone()))
        .service(at(Route::Failing).route(post().to(failing)).wrap(export))
        .service(at(Route::Plain).route(post().to(served)))
        .service(at(Route::Register).route(post().to(served)).wrap(register))
        .wrap(Limit::defaults(gate()))
        .wrap(Limit::edge(gate()))
}
