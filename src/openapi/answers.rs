//! What a limited operation may answer, in the words of OpenAPI.

use std::collections::BTreeMap;

use utoipa::IntoResponses;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{ArrayBuilder, Components, ObjectBuilder, Schema, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

/// The two fields on every answer of a limited operation.
const FIELDS: [&str; 2] = ["RateLimit-Policy", "RateLimit"];

/// The names of what the document's components get.
const PROBLEM: &str = "RateLimitProblem";
const QUOTA_EXCEEDED: &str = "RateLimitExceeded";
const UNAVAILABLE: &str = "RateLimitUnavailable";

/// The answers of a limit that refuses: 429 while a quota is used up, 503 while it cannot be decided.
///
/// ```
/// use tollgate::openapi::Refusals;
///
/// #[utoipa::path(get, path = "/reports", responses((status = 200), Refusals))]
/// async fn reports() {}
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Refusals;

impl IntoResponses for Refusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let headers = headers().map(|(name, header)| (name, RefOr::T(header)));
        let exceeded = quota_exceeded(problem().into(), headers);
        [("429", exceeded), ("503", unavailable(problem().into()))]
            .map(|(status, response)| (status.to_owned(), response.into()))
            .into()
    }
}

/// Adds the shared parts that [`refusals`] and [`add_fields`] refer to; what is there already stays.
pub(super) fn define(components: &mut Components) {
    let problem_ref = || RefOr::Ref(Ref::from_schema_name(PROBLEM));
    let header_refs = headers().map(|(name, _)| (name, header_ref(name)));
    let exceeded = quota_exceeded(problem_ref(), header_refs);
    let unavailable = unavailable(problem_ref());
    let Components { schemas, responses, headers: shared, .. } = components;
    schemas.entry(PROBLEM.to_owned()).or_insert_with(|| problem().into());
    for (name, response) in [(QUOTA_EXCEEDED, exceeded), (UNAVAILABLE, unavailable)] {
        responses.entry(name.to_owned()).or_insert_with(|| response.into());
    }
    for (name, header) in headers() {
        shared.entry(name.to_owned()).or_insert_with(|| header.into());
    }
}

/// The refusals of an operation, by their statuses.
pub(super) fn refusals() -> [(&'static str, RefOr<Response>); 2] {
    let refer = |name| RefOr::Ref(Ref::from_response_name(name));
    [("429", refer(QUOTA_EXCEEDED)), ("503", refer(UNAVAILABLE))]
}

/// Says that an answer has the fields.
pub(super) fn add_fields(response: &mut Response) {
    for name in FIELDS {
        response.headers.entry(name.to_owned()).or_insert_with(|| header_ref(name));
    }
}

fn header_ref(name: &str) -> RefOr<Header> {
    RefOr::Ref(Ref::new(format!("#/components/headers/{name}")))
}

fn quota_exceeded(
    problem: RefOr<Schema>,
    headers: impl IntoIterator<Item = (&'static str, RefOr<Header>)>,
) -> Response {
    let description = "The quota is used up until the seconds of `Retry-After` are over.";
    let mut response = refusal(description, problem);
    response.headers.extend(headers.into_iter().map(|(name, header)| (name.to_owned(), header)));
    response
}

fn unavailable(problem: RefOr<Schema>) -> Response {
    refusal("The rate limit cannot be checked at the moment.", problem)
}

fn refusal(description: &str, problem: RefOr<Schema>) -> Response {
    let content = ContentBuilder::new().schema(Some(problem)).build();
    ResponseBuilder::new()
        .description(description)
        .content("application/problem+json", content)
        .build()
}

/// The headers of a refusal, the two fields among them.
fn headers() -> [(&'static str, Header); 3] {
    let [policy, state] = FIELDS;
    let seconds = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1));
    let wait = "The seconds to wait; the same request then passes.";
    let limits = "The limits of the operation: a quota `q` in a window of `w` seconds.";
    let left = "What is left: `r` of the quota, and `t` seconds until it is full again.";
    let header = |schema: ObjectBuilder, description| {
        HeaderBuilder::new().schema(Some(schema.build())).description(Some(description))
    };
    [
        ("Retry-After", header(seconds, wait).build()),
        (policy, header(text(), limits).example(Some(r#""rl.read";q=600;w=60"#.into())).build()),
        (state, header(text(), left).example(Some(r#""rl.read";r=119;t=1"#.into())).build()),
    ]
}

/// The problem document (RFC 9457) that a refusal is.
fn problem() -> Schema {
    let status = ObjectBuilder::new().schema_type(Type::Integer);
    let code = text().enum_values(Some(["rate_limited", "rate_limit_unavailable"]));
    let policies = ArrayBuilder::new().items(text());
    let mut object = ObjectBuilder::new()
        .description(Some("Why a request was refused (RFC 9457)."))
        .property("type", text())
        .property("title", text())
        .property("status", status)
        .property("detail", text())
        .property("code", code)
        .property("correlation_id", text())
        .property("violated-policies", policies);
    for always in ["type", "title", "status", "detail", "code"] {
        object = object.required(always);
    }
    object.build().into()
}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}
