//! How a declared handler answers a request: gate, extractors, handler, fields.

use std::future::{Future, ready};
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use ::axum::RequestExt;
use ::axum::body::Body;
use ::axum::extract::connect_info::MockConnectInfo;
use ::axum::extract::{ConnectInfo, MatchedPath, RawPathParams, Request};
use ::axum::response::{IntoResponse, Response};
use http::Extensions;

use super::arguments::Arguments;
use super::handler::{Declares, HasGate};
use crate::catalogue::{Catalogue, KeyKind};
use crate::declaration::Declaration;
use crate::http::{Admission, Asked, Checked, Fields, Gate, Passage, RequestView};

/// The answer of a declared handler.
pub type HandlerFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

/// Asks the gate, then extracts the arguments, then calls the handler; the rate-limit fields go on
/// whatever comes back.
pub fn serve<H, C, S, M, A, F, R>(_: H, mut request: Request, state: S, handler: F) -> HandlerFuture
where
    H: Declares<C>,
    C: Catalogue,
    S: HasGate<C> + 'static,
    M: 'static,
    A: Arguments<S, M>,
    F: FnOnce(A) -> R + Send + 'static,
    R: Future<Output: IntoResponse> + Send,
{
    // Before the future is made, which then has no room for what is decided here.
    match ask(&state.gate(), &H::DECLARATION, &mut request) {
        Asked::Answered(Admission { checked: Checked::Admitted(fields), .. }) => {
            A::answer(request, state, handler, fields)
        }
        Asked::Answered(Admission { checked: Checked::Refused(refusal), .. }) => {
            Box::pin(ready((*refusal).map(Body::from)))
        }
        Asked::Waiting(question) => Box::pin(async move {
            match question.answer(&view(&request)).await.checked {
                Checked::Admitted(fields) => A::answer(request, state, handler, fields).await,
                Checked::Refused(refusal) => (*refusal).map(Body::from),
            }
        }),
    }
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
    Passage::declare(request.extensions());
    A::answer(request, state, handler, Fields::default())
}

/// Translates the request for the gate.
fn ask<C: Catalogue>(
    gate: &Gate<C>,
    declaration: &Declaration<C>,
    request: &mut Request,
) -> Asked<C> {
    if declaration.key_kind() != Some(KeyKind::IncomingWebhook) {
        return gate.ask_for_handler(declaration, &view(request));
    }
    // Reading the parameters copies a list, and axum takes the request apart for it; only this kind of key is made from one.
    let path_parameters = path_parameters(request);
    let path_parameter = |name: &str| {
        path_parameters.iter().flatten().find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    gate.ask_for_handler(declaration, &view(request).path_parameter(&path_parameter))
}

/// The parameters of the path, which axum has at hand behind a future that never waits.
fn path_parameters(request: &mut Request) -> Option<RawPathParams> {
    let extracting = pin!(request.extract_parts::<RawPathParams>());
    match extracting.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(extracted) => extracted.ok(),
        Poll::Pending => None,
    }
}

/// What axum knows of a request beyond its head.
#[inline]
pub(crate) fn view<B>(request: &http::Request<B>) -> RequestView<'_> {
    RequestView::of(request)
        .peer_in(peer)
        .route_in(|extensions| extensions.get::<MatchedPath>().map(MatchedPath::as_str))
}

/// The peer's address, as `into_make_service_with_connect_info` leaves it, or a test's mock.
pub(crate) fn peer(extensions: &Extensions) -> Option<IpAddr> {
    let connected = extensions.get::<ConnectInfo<SocketAddr>>().map(|info| &info.0);
    connected
        .or_else(|| extensions.get::<MockConnectInfo<SocketAddr>>().map(|info| &info.0))
        .map(SocketAddr::ip)
}
