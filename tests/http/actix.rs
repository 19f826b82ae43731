//! What only actix-web does: errors that travel outwards, parameters of the path, types of its own.
//! The rules that all frameworks share are tested elsewhere, over all of them.

use std::net::SocketAddr;
use std::sync::Arc;

use actix_web::body::MessageBody;
use actix_web::dev::{Service, ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderValue;
use actix_web::middleware::{Next, from_fn};
use actix_web::test::{TestRequest, init_service, read_body};
use actix_web::web::{get, post, resource};
use actix_web::{App, Error, HttpMessage as _, HttpResponse, ResponseError};
use tollgate::actix::{Credentials, Limit};
use tollgate::clock::ManualClock;
use tollgate::http::{CredentialGuard, FailedCredentials, Gate};
use tollgate::{Caller, Class};

use super::support::{PEER, builder, gate};

fn peer() -> SocketAddr {
    SocketAddr::new(PEER.parse().expect("an address"), 4000)
}

/// Sends a request. A macro, because the type of requests has no name outside of actix-web.
macro_rules! send {
    ($service:expr, $request:expr) => {
        $service.call($request.peer_addr(peer()).to_request()).await
    };
}

/// Status and state, as in `200 "rl.read";r=119;t=1`.
macro_rules! answer {
    ($service:expr, $request:expr) => {
        text_of(send!($service, $request).map(|response| response.map_into_boxed_body()))
    };
}

fn text_of(outcome: Result<ServiceResponse, Error>) -> String {
    let response = match outcome {
        Ok(response) => response.into_parts().1,
        Err(error) => error.error_response(),
    };
    let mut lines = response.headers().get_all("ratelimit");
    let state = lines.next().map_or("-", |line| line.to_str().expect("fields are text"));
    assert_eq!(lines.next(), None, "the fields are there once");
    format!("{} {state}", response.status().as_u16())
}

fn export(gate: Gate) -> Limit {
    Limit::class(gate, Class::Export).expect("a class of HTTP")
}

#[derive(Debug, thiserror::Error)]
#[error("no such thing")]
struct Missing;

impl ResponseError for Missing {
    fn status_code(&self) -> StatusCode {
        StatusCode::NOT_FOUND
    }
}

#[tokio::test]
async fn an_error_of_a_middleware_further_in_stays_one_and_has_the_fields() {
    async fn fail(
        _: ServiceRequest,
        _: Next<impl MessageBody>,
    ) -> Result<ServiceResponse<String>, Error> {
        Err(Missing.into())
    }
    let app = App::new().wrap(from_fn(fail)).wrap(export(gate()));
    let service = init_service(app).await;
    let error = send!(service, TestRequest::get()).map(|_| ()).expect_err("it fails");
    assert_eq!(error.to_string(), "no such thing");
    assert_eq!(answer!(service, TestRequest::get()), r#"404 "rl.export";r=0;t=20"#);
    assert_eq!(answer!(service, TestRequest::get()), r#"429 "rl.export";r=0;t=20"#);
}

#[tokio::test]
async fn members_that_a_handler_wrote_itself_stay() {
    async fn handler() -> HttpResponse {
        HttpResponse::Ok()
            .append_header(("RateLimit", r#""own";r=1"#))
            .append_header(("RateLimit", r#""other";r=2"#))
            .finish()
    }
    let service = init_service(App::new().route("/", get().to(handler)).wrap(export(gate()))).await;
    assert_eq!(
        answer!(service, TestRequest::get()),
        r#"200 "rl.export";r=1;t=10, "own";r=1, "other";r=2"#
    );
}

#[tokio::test]
async fn webhooks_are_told_apart_by_the_parameter_of_the_path() {
    let hooks = Limit::class(gate(), Class::WebhookIn).expect("a class of HTTP");
    let app = App::new()
        .service(resource("/hooks/{webhook_id}").route(post().to(HttpResponse::Ok)).wrap(hooks));
    let service = init_service(app).await;
    // The class has burst 20, and a token comes in a second.
    let spent = |left: u32, seconds: u32| format!("200 \"rl.webhook_in\";r={left};t={seconds}");
    for (path, expected) in [
        ("/hooks/a%2Fb", spent(19, 1)),
        ("/hooks/a", spent(19, 1)),
        // The same id, with other bytes percent-encoded.
        ("/hooks/%61%2fb", spent(18, 2)),
        ("/hooks/%2561", spent(19, 1)),
        // No text, so it counts against the address of its sender; and the next as well.
        ("/hooks/%ff", spent(19, 1)),
        ("/hooks/%fe", spent(18, 2)),
    ] {
        assert_eq!(answer!(service, TestRequest::post().uri(path)), expected, "{path}");
    }
}

#[tokio::test]
async fn the_caller_is_whom_an_authenticator_has_put_into_the_request() {
    async fn authenticate(
        request: ServiceRequest,
        next: Next<impl MessageBody>,
    ) -> Result<ServiceResponse<impl MessageBody>, Error> {
        if let Some(name) = request.headers().get("x-name") {
            let caller = Caller::principal(name.to_str().expect("a name"));
            request.extensions_mut().insert(caller);
        }
        next.call(request).await
    }
    let app = App::new()
        .route("/", get().to(HttpResponse::Ok))
        .wrap(export(gate()))
        .wrap(from_fn(authenticate));
    let service = init_service(app).await;
    let by = |name: &'static str| TestRequest::get().insert_header(("x-name", name));
    for (request, state) in [
        (by("alice"), "r=1;t=10"),
        (by("bob"), "r=1;t=10"),
        (by("alice"), "r=0;t=20"),
        (TestRequest::get(), "r=1;t=10"),
    ] {
        assert_eq!(answer!(service, request), format!("200 \"rl.export\";{state}"));
    }
}

#[tokio::test]
async fn a_refusal_names_the_route_by_its_template() {
    use std::sync::Mutex;
    let seen = Arc::<Mutex<Vec<String>>>::default();
    let told = Arc::clone(&seen);
    let gate = builder(&Arc::<ManualClock>::default())
        .on_exceeded(move |event| told.lock().expect("no panic").push(event.route.to_owned()))
        .build()
        .expect("a gate");
    let app =
        App::new().service(actix_web::web::scope("/v1").service(
            resource("/exports/{id}").route(get().to(HttpResponse::Ok)).wrap(export(gate)),
        ));
    let service = init_service(app).await;
    for id in 0..3 {
        answer!(service, TestRequest::get().uri(&format!("/v1/exports/{id}")));
    }
    assert_eq!(*seen.lock().expect("no panic"), ["/v1/exports/{id}"]);
}

/// An authenticator that fails with a marked answer, or with an error that makes one.
#[derive(Debug, thiserror::Error)]
#[error("who?")]
struct Unknown;

impl ResponseError for Unknown {
    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::Unauthorized().finish();
        response.extensions_mut().insert(FailedCredentials::new("invalid_token"));
        response
    }
}

async fn authenticate(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    match request.headers().get("authorization").map(HeaderValue::as_bytes) {
        None | Some(b"good") => Ok(next.call(request).await?.map_into_boxed_body()),
        Some(b"error") => Err(Unknown.into()),
        Some(_) => Ok(request.into_response(Unknown.error_response())),
    }
}

#[tokio::test]
async fn failed_credentials_count_as_answers_and_as_errors() {
    let guard = CredentialGuard::new(gate(), Class::PublicAuth);
    let app = App::new()
        .route("/", get().to(HttpResponse::Ok))
        .wrap(from_fn(authenticate))
        .wrap(Credentials::new(guard));
    let service = init_service(app).await;
    let with = |token: &'static str| TestRequest::get().insert_header(("authorization", token));
    // The class has burst 10, and a token comes in three seconds.
    for spent in 1..=10 {
        let token = if spent % 2 == 0 { "error" } else { "answer" };
        let state = format!("\"rl.public_auth\";r={};t={}", 10 - spent, spent * 3);
        assert_eq!(answer!(service, with(token)), format!("401 {state}"));
    }
    assert_eq!(answer!(service, with("good")), r#"429 "rl.public_auth";r=0;t=30"#);
    assert_eq!(answer!(service, TestRequest::get()), "200 -");
}

#[tokio::test]
async fn a_refusal_is_the_problem_document_of_the_gate() {
    let service = init_service(App::new().wrap(export(gate()))).await;
    for _ in 0..2 {
        answer!(service, TestRequest::get());
    }
    let request = TestRequest::get().insert_header(("x-request-id", "r-1"));
    let response = send!(service, request).expect("an answer");
    assert_eq!(response.headers().get("content-type").expect("a type"), "application/problem+json");
    assert_eq!(response.headers().get("retry-after").expect("a wait"), "10");
    let document: serde_json::Value =
        serde_json::from_slice(&read_body(response).await).expect("a document");
    assert_eq!(document["correlation_id"], "r-1");
    assert_eq!(document["violated-policies"], serde_json::json!(["rl.export"]));
}

#[test]
fn a_class_of_the_gateway_cannot_limit_requests() {
    let error = Limit::class(gate(), Class::Typing).expect_err("a class of the gateway");
    assert!(error.to_string().starts_with("`rl.typing` is of the gateway"), "{error}");
}
