//! The routes, the state behind them, and the gate and the layers in front of them.

use std::error::Error;
use std::sync::Arc;

use axum::extract::FromRef;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::from_fn_with_state;
use tollgate::axum::routing::{Router, get, post};
use tollgate::http::{CredentialGuard, Gate, RequestView};
use tollgate::tower::{CredentialsLayer, LimitLayer};
use tollgate::{Caller, Class, Limiter, rate_limited, routes};
use tower_http::cors::CorsLayer;

use super::auth::{self, Viewer};
use super::chat::Chat;
use super::metrics::{self, Metrics};
use super::problem::Problem;
use super::{agents, channels, exports, login, messages, search, webhooks};

/// What handlers take with `State`; the attribute takes the gate from here too.
#[derive(Clone, Debug, FromRef)]
struct App {
    chat: Arc<Chat>,
    gate: Gate,
    limiter: Limiter,
    metrics: Arc<Metrics>,
}

/// The whole API, limited by `limiter`, and the gate that stands in front of it.
pub(super) fn router(limiter: Limiter) -> Result<(Router, Gate), Box<dyn Error>> {
    let metrics = Arc::<Metrics>::default();
    limiter.observe(Arc::clone(&metrics));
    let counters = Arc::clone(&metrics);
    let gate = Gate::builder(limiter.clone())
        .name("chat")
        .on_exceeded(move |event| counters.count_exceeded(event))
        .callers(caller)
        // The ids of webhooks are letters of either case.
        .webhook_id(|id| Some(id.to_ascii_lowercase()))
        .build()?;
    let app = App { chat: Arc::default(), gate: gate.clone(), limiter, metrics };

    // Method, path, class and cost stand in the catalogue; the list is a part of it on purpose.
    let actions = routes![
        agents::start,
        channels::update,
        login::login,
        messages::list,
        messages::send,
        search::search,
        webhooks::receive,
        ..
    ];
    // From the inside outwards: who calls, whether that was guessed too often, the edge rules of the
    // configuration, and CORS, so that a browser can read the refusals of all the others.
    let router = actions
        .route("/v1/exports", post(exports::create))
        .layer(from_fn_with_state(Arc::clone(&app.metrics), auth::authenticate))
        .layer(CredentialsLayer::new(CredentialGuard::new(gate.clone(), Class::PublicAuth)))
        .route("/healthz", get(healthy))
        .route("/metrics", get(metrics::show))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(LimitLayer::edge(gate.clone()))
        .layer(cors())
        .with_state(app);
    Ok((router, gate))
}

/// Whose bucket a request uses; the authentication layer has put the viewer into the request.
fn caller(request: &RequestView<'_>) -> Caller {
    let viewer = request.extensions().get::<Viewer>();
    viewer.map_or_else(Caller::anonymous, |viewer| Caller::from(*viewer))
}

/// The web client may call, and may read how much is left.
fn cors() -> CorsLayer {
    let fields = ["ratelimit", "ratelimit-policy"].map(HeaderName::from_static);
    CorsLayer::new()
        .allow_origin(HeaderValue::from_static("http://localhost:3000"))
        .allow_methods([Method::GET, Method::PATCH, Method::POST])
        .allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE])
        .expose_headers(fields.into_iter().chain([header::RETRY_AFTER]).collect::<Vec<_>>())
}

#[rate_limited(exempt = "the load balancer asks every second")]
async fn healthy() -> &'static str {
    "ok\n"
}

#[rate_limited(default)]
async fn not_found() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this path")
}

#[rate_limited(default)]
async fn method_not_allowed() -> Problem {
    let detail = "this path does not answer to this method";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
}
