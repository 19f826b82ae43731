//! Limits in documents of OpenAPI: exactly what is written, and what is told.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tollgate::axum::routing::{Router, get, post};
use tollgate::http::Gate;
use tollgate::openapi::{DocumentedLimits, Refusals};
use tollgate::{Action, Class, Config, Limiter, rate_limited};
use tower::ServiceExt as _;
use utoipa::OpenApi;

/// Registers an account.
#[utoipa::path(post, path = "/v1/auth/register", responses((status = 201, description = "Done")))]
#[rate_limited(Action::AuthRegister)]
async fn register() {}

#[utoipa::path(
    get,
    path = "/v1/channels/{id}/messages",
    responses((status = 200, description = "The messages"), Refusals),
    params(("id" = String, Path)),
)]
#[rate_limited(Action::MessageList)]
async fn list() {}

#[utoipa::path(get, path = "/me", responses((status = 200, description = "You")))]
#[rate_limited(Class::Read)]
async fn me() -> &'static str {
    "you"
}

#[utoipa::path(get, path = "/health", responses((status = 200, description = "Well")))]
#[rate_limited(exempt = "asked by the orchestrator")]
async fn health() {}

#[derive(OpenApi)]
#[openapi(paths(register))]
struct One;

#[derive(OpenApi)]
#[openapi(paths(register, list, me, health))]
struct All;

/// A document with the limits of a configuration, complete.
fn documented(mut document: utoipa::openapi::OpenApi, config: &Config) -> Value {
    let limits = DocumentedLimits::new(config).class("GET", "/me", Class::Read);
    limits.unlimited("get", "/health").write(&mut document).expect("every operation is known");
    serde_json::to_value(&document).expect("a document is JSON")
}

#[test]
fn an_operation_says_its_limit_its_headers_and_its_refusals() {
    let document = documented(One::openapi(), &Config::default());
    let fields = json!({
        "RateLimit": {"$ref": "#/components/headers/RateLimit"},
        "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
    });
    assert_eq!(
        document["paths"],
        json!({"/v1/auth/register": {"post": {
            "tags": [],
            "summary": "Registers an account.",
            "description": "Rate limit `rl.public_auth`, for each client IP: 20 a minute, at most 10 at \
                            once; a call takes 2.",
            "operationId": "register",
            "responses": {
                "201": {"description": "Done", "headers": fields},
                "429": {"$ref": "#/components/responses/RateLimitExceeded"},
                "503": {"$ref": "#/components/responses/RateLimitUnavailable"},
            },
            "x-rate-limit": {
                "action": "auth.register",
                "burst": 10,
                "class": "rl.public_auth",
                "cost": 2,
                "key": "client IP",
                "quota": 20,
                "window": 60,
            },
        }}})
    );
}

#[test]
fn the_refusals_are_shared_components() {
    let document = documented(One::openapi(), &Config::default());
    let components = &document["components"];
    let problem = json!({"application/problem+json": {
        "schema": {"$ref": "#/components/schemas/RateLimitProblem"},
    }});
    assert_eq!(
        components["responses"],
        json!({
            "RateLimitExceeded": {
                "description": "The quota is used up until the seconds of `Retry-After` are over.",
                "headers": {
                    "RateLimit": {"$ref": "#/components/headers/RateLimit"},
                    "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
                    "Retry-After": {"$ref": "#/components/headers/Retry-After"},
                },
                "content": problem,
            },
            "RateLimitUnavailable": {
                "description": "The rate limit cannot be checked at the moment.",
                "content": problem,
            },
        })
    );
    assert_eq!(
        components["headers"]["Retry-After"]["schema"],
        json!({"type": "integer", "minimum": 1})
    );
    assert_eq!(components["headers"]["RateLimit"]["schema"], json!({"type": "string"}));
    let schema = &components["schemas"]["RateLimitProblem"];
    assert_eq!(schema["required"], json!(["type", "title", "status", "detail", "code"]));
    assert_eq!(
        schema["properties"]["code"]["enum"],
        json!(["rate_limited", "rate_limit_unavailable"])
    );
    assert_eq!(
        schema["properties"]["violated-policies"],
        json!({"type": "array", "items": {"type": "string"}})
    );
}

#[test]
fn the_limits_are_those_of_the_configuration() {
    let config = Config::builder()
        .class(Class::Read, |class| class.per_minute(30).burst(5))
        .class(Class::PublicAuth, |class| class.shadow(true))
        .build()
        .expect("limits in range");
    let document = documented(All::openapi(), &config);
    let own = &document["paths"]["/me"]["get"];
    assert_eq!(
        own["description"],
        "Rate limit `rl.read`, for each principal: 30 a minute, at most 5 at once."
    );
    assert_eq!(own["x-rate-limit"]["action"], Value::Null);
    // What only watches is no limit to clients, and what is exempt has none.
    for (path, method) in [("/v1/auth/register", "post"), ("/health", "get")] {
        let operation = &document["paths"][path][method];
        assert_eq!(operation["x-rate-limit"], Value::Null, "{path}");
        assert_eq!(operation["responses"]["429"], Value::Null, "{path}");
    }
}

#[test]
fn refusals_of_an_operation_itself_stay_as_they_are_described() {
    let document = documented(All::openapi(), &Config::default());
    let responses = &document["paths"]["/v1/channels/{id}/messages"]["get"]["responses"];
    let exceeded = &responses["429"];
    assert_eq!(exceeded["headers"]["Retry-After"]["schema"]["type"], "integer");
    let problem = &exceeded["content"]["application/problem+json"]["schema"];
    assert_eq!(problem["properties"]["status"], json!({"type": "integer"}));
    assert_eq!(responses["503"]["headers"], Value::Null);
    assert_eq!(responses["200"]["headers"]["RateLimit"]["$ref"], "#/components/headers/RateLimit");
}

#[test]
fn an_operation_that_nothing_is_known_of_is_told_and_the_others_are_written() {
    #[utoipa::path(get, path = "/v1/channel", responses((status = 200)))]
    #[expect(dead_code, reason = "only its description is used")]
    fn misspelt() {}

    #[utoipa::path(get, path = "/elsewhere/entirely", responses((status = 200)))]
    #[expect(dead_code, reason = "only its description is used")]
    fn foreign() {}

    #[derive(OpenApi)]
    #[openapi(paths(misspelt, foreign, register))]
    struct Api;

    let mut document = Api::openapi();
    let error = DocumentedLimits::new(&Config::<Class>::default())
        .write(&mut document)
        .expect_err("two operations are unknown");
    assert_eq!(
        error.to_string(),
        "no action of the catalogue has the operations `GET /elsewhere/entirely`, `GET /v1/channel` (did \
         you mean `GET /v1/channels`?); correct them, or say with `class` or `unlimited` what their \
         handlers declare"
    );
    let document = serde_json::to_value(&document).expect("a document is JSON");
    let written = &document["paths"]["/v1/auth/register"]["post"]["x-rate-limit"];
    assert_eq!(written["class"], "rl.public_auth");
}

#[tokio::test]
async fn a_handler_can_be_both_described_and_limited() {
    let gate = Gate::builder(Limiter::new(&Config::default()).expect("the buckets fit")).build();
    let app = Router::new()
        .route("/v1/auth/register", post(register))
        .route("/v1/channels/{id}/messages", get(list))
        .route("/me", get(me))
        .route("/health", get(health))
        .with_state(gate.expect("a gate"));
    let request = Request::get("/me").body(Body::empty()).expect("a request");
    let answer = app.oneshot(request).await.expect("a router answers");
    assert_eq!(answer.headers()["ratelimit"], r#""rl.read";r=119;t=1"#);
    assert_eq!(me::call().await, "you");
}
