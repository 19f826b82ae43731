//! The routes, each wrapped by its limit.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::middleware::from_fn;
use actix_web::web::{Path, get, post, resource};
use actix_web::{App, Error};
use tollgate::actix::{Credentials, GatewayOnly, Limit};
use tollgate::http::{CredentialGuard, Gate};
use tollgate::{Action, Class};

use super::auth::authenticate;

/// What the routes are limited by. Clones share everything.
#[derive(Clone)]
pub(crate) struct Limits {
    credentials: Credentials,
    edge: Limit,
    health: Limit,
    hook: Limit,
    list: Limit,
    others: Limit,
    send: Limit,
}

impl Limits {
    /// The limits of this gate.
    pub(crate) fn new(gate: Gate) -> Result<Self, GatewayOnly> {
        Ok(Self {
            credentials: Credentials::new(CredentialGuard::new(gate.clone(), Class::PublicAuth)),
            edge: Limit::edge(gate.clone()),
            health: Limit::exempt(gate.clone(), "asked by the orchestrator every second"),
            hook: Limit::class(gate.clone(), Class::WebhookIn)?,
            list: Limit::action(gate.clone(), Action::MessageList)?,
            send: Limit::action(gate.clone(), Action::MessageSend)?,
            others: Limit::defaults(gate),
        })
    }
}

/// The app of one worker. What wraps last stands outermost.
pub(crate) fn app(
    limits: &Limits,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody + use<>>,
        Error = Error,
        InitError = (),
    > + use<>,
> {
    let messages = "/v1/channels/{channel_id}/messages";
    App::new()
        .service(resource("/health").route(get().to(async || "ok")).wrap(limits.health.clone()))
        .service(
            resource("/hooks/{webhook_id}").route(post().to(received)).wrap(limits.hook.clone()),
        )
        .service(
            resource(messages)
                .guard(actix_web::guard::Get())
                .route(get().to(list))
                .wrap(limits.list.clone()),
        )
        .service(resource(messages).route(post().to(send)).wrap(limits.send.clone()))
        .route("/about", get().to(async || "a chat"))
        .wrap(limits.others.clone())
        .wrap(from_fn(authenticate))
        .wrap(limits.credentials.clone())
        .wrap(limits.edge.clone())
}

async fn list(channel: Path<String>) -> String {
    format!("messages of {channel}")
}

async fn send(channel: Path<String>) -> String {
    format!("sent to {channel}")
}

async fn received(webhook: Path<String>) -> String {
    format!("received by {webhook}")
}
