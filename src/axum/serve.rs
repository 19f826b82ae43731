//! How a declared handler answers a request: gate, extractors, handler, fields.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;

use ::axum::body::Body;
use ::axum::extract::connect_info::MockConnectInfo;
use ::axum::extract::{ConnectInfo, FromRequestParts, MatchedPath, RawPathParams, Request};
use ::axum::response::{IntoResponse, Response};
use http::request::Parts;

use super::arguments::Arguments;
use super::handler::{Declares, HasGate};
use super::routing::Pending;
use crate::catalogue::{Catalogue, KeyKind};
use crate::declaration::Declaration;
use crate::http::{Checked, Fields, Passage, RequestView};

/// The answer of a declared handler.
pub type HandlerFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

/// Asks the gate, then extracts the arguments, then calls the handler; the rate-limit fields go on
/// whatever comes back.
pub fn serve<H, C, S, M, A, F, R>(_: H, request: Request, state: S, handler: F) -> HandlerFuture
where
    H: Declares<C>,
    C: Catalogue,
    S: HasGate<C> + 'static,
    M: 'static,
    A: Arguments<S, M>,
    F: FnOnce(A) -> R + Send + 'static,
    R: Future<Output: IntoResponse> + Send,
{
    // Apart before the future is made, which would keep room for both forms.
    let (mut parts, body) = request.into_parts();
    Box::pin(async move {
        Pending::cancel(&mut parts.extensions);
        let fields = match check(&H::DECLARATION, &mut parts, &state).await {
            Ok(fields) => fields,
            Err(refusal) => return refusal,
        };
        let mut response = match A::extract(parts, body, &state).await {
            Ok(arguments) => handler(arguments).await.into_response(),
            Err(rejection) => rejection,
        };
        fields.write(response.headers_mut());
        response
    })
}

/// The same for a handler that is exempt on purpose: no gate is asked, so none is needed.
pub fn serve_exempt<H, S, M, A, F, R>(_: H, request: Request, state: S, handler: F) -> HandlerFuture
where
    S: Send + Sync + 'static,
    M: 'static,
    A: Arguments<S, M>,
    F: FnOnce(A) -> R + Send + 'static,
    R: Future<Output: IntoResponse> + Send,
{
    let (mut parts, body) = request.into_parts();
    Box::pin(async move {
        Pending::cancel(&mut parts.extensions);
        Passage::declare(&parts.extensions);
        match A::extract(parts, body, &state).await {
            Ok(arguments) => handler(arguments).await.into_response(),
            Err(rejection) => rejection,
        }
    })
}

/// Translates the request for the gate and the refusal for axum.
async fn check<C, S>(
    declaration: &Declaration<C>,
    parts: &mut Parts,
    state: &S,
) -> Result<Fields, Response>
where
    C: Catalogue,
    S: HasGate<C>,
{
    let path_parameters = match declaration.key_kind() {
        // Reading the parameters copies a list, and only this kind of key is made from one.
        Some(KeyKind::IncomingWebhook) => RawPathParams::from_request_parts(parts, &()).await.ok(),
        _ => None,
    };
    let path_parameter = |name: &str| {
        path_parameters.iter().flatten().find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    let view = view(parts).path_parameter(&path_parameter);
    match state.gate().check(declaration, &view).await {
        Checked::Admitted(fields) => Ok(fields),
        Checked::Refused(response) => Err(response.map(Body::from)),
    }
}

/// What axum knows of a request beyond its head.
pub(crate) fn view(parts: &Parts) -> RequestView<'_> {
    RequestView::new(parts)
        .peer(peer(parts).map(|address| address.ip()))
        .route(parts.extensions.get::<MatchedPath>().map(MatchedPath::as_str))
}

/// The peer's address, as `into_make_service_with_connect_info` leaves it, or a test's mock.
fn peer(parts: &Parts) -> Option<SocketAddr> {
    let connected = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0);
    connected.or_else(|| parts.extensions.get::<MockConnectInfo<SocketAddr>>().map(|info| info.0))
}
