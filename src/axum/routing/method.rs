//! [`MethodRouter`]: the handlers of one path, by method.

use std::convert::Infallible;
use std::fmt;

use ::axum::extract::Request;
use ::axum::response::IntoResponse;
use ::axum::routing::{self, MethodFilter, Route};
use tower_layer::Layer;
use tower_service::Service;

use super::door::DoorLayer;
use crate::axum::handler::LimitedHandler;

/// The handlers of one path, each of which declares its limit.
///
/// Made by [`get`](super::get), [`post`](super::post) and their like, and mounted with
/// [`Router::route`](super::Router::route).
#[must_use = "routes answer nothing until they are mounted"]
pub struct MethodRouter<S = ()>(routing::MethodRouter<S>);

impl<S> MethodRouter<S>
where
    S: Clone + Send + Sync + 'static,
{
    /// No handlers yet.
    pub fn new() -> Self {
        Self::unchecked(routing::MethodRouter::new())
    }

    /// Takes routes that axum made, whatever their handlers declare.
    ///
    /// This is the way around the check, for services and for handlers of other libraries.
    pub fn unchecked(routes: routing::MethodRouter<S>) -> Self {
        Self(routes.layer(DoorLayer))
    }

    /// Routes every method to this handler.
    pub(super) fn any<H, T>(handler: H) -> Self
    where
        H: LimitedHandler<T, S>,
        T: 'static,
    {
        Self(routing::any(handler))
    }

    /// The same routes for a router of axum's own.
    pub fn into_axum(self) -> routing::MethodRouter<S> {
        self.0
    }

    /// Routes `CONNECT` to this handler.
    #[track_caller]
    pub fn connect<H, T>(self, handler: H) -> Self
    where
        H: LimitedHandler<T, S>,
        T: 'static,
    {
        self.on(MethodFilter::CONNECT, handler)
    }

    /// Routes `DELETE` to this handler.
    #[track_caller]
    pub fn delete<H, T>(self, handler: H) -> Self
    where
        H: LimitedHandler<T, S>,
        T: 'static,
    {
        self.on(MethodFilter::DELETE, handler)
    }

    /// Routes `GET` and `HEAD`, unless `HEAD` has a handler of its own to this handler.
    #[track_caller]
    pub fn get<H, T>(self, handler: H) -> Self
    where
        H: LimitedHandler<T, S>,
        T: 'static,
    {
        self.on(MethodFilter::GET, handler)
    }

    /// Routes `HEAD` to this handler.
    #[track_caller]
    pub fn head<H, T>(self, handler: H) -> Self
    where
        H: LimitedHandler<T, S>,
        T: 'static,
    {
        self.on(MethodFilter::HEAD, handler)
    }

    /// Routes `OPTIONS` to this handler.
    #[track_caller]
    pub fn options<H, T>(self, handler: H) -> Self
    where
        H: LimitedHandler<T, S>,
        T: 'static,
    {
        self.on(MethodFilter::OPTIONS, handler)
    }

    /// Routes `PATCH` to this handler.
    #[track_caller]
    pub fn patch<H, T>(self, handler: H) -> Self
    where
        H: LimitedHandler<T, S>,
        T: 'static,
    {
        self.on(MethodFilter::PATCH, handler)
    }

    /// Routes `POST` to this handler.
    #[track_caller]
    pub fn post<H, T>(self, handler: H) -> Self
    where
        H: LimitedHandler<T, S>,
        T: 'static,
    {
        self.on(MethodFilter::POST, handler)
    }

    /// Routes `PUT` to this handler.
    #[track_caller]
    pub fn put<H, T>(self, handler: H) -> Self
    where
        H: LimitedHandler<T, S>,
        T: 'static,
    {
        self.on(MethodFilter::PUT, handler)
    }

    /// Routes `TRACE` to this handler.
    #[track_caller]
    pub fn trace<H, T>(self, handler: H) -> Self
    where
        H: LimitedHandler<T, S>,
        T: 'static,
    {
        self.on(MethodFilter::TRACE, handler)
    }

    /// Routes the methods of the filter to this handler.
    ///
    /// # Panics
    ///
    /// When one of them has a handler already.
    #[track_caller]
    pub fn on<H, T>(self, filter: MethodFilter, handler: H) -> Self
    where
        H: LimitedHandler<T, S>,
        T: 'static,
    {
        Self(self.0.on(filter, handler))
    }

    /// Routes every other method to this handler.
    pub fn fallback<H, T>(self, handler: H) -> Self
    where
        H: LimitedHandler<T, S>,
        T: 'static,
    {
        Self(self.0.fallback(handler))
    }

    /// All handlers of both.
    ///
    /// # Panics
    ///
    /// When both have a handler of one method, or both a fallback.
    #[track_caller]
    pub fn merge(self, other: Self) -> Self {
        Self(self.0.merge(other.0))
    }

    /// Wraps every handler in a layer of tower, the fallback included.
    pub fn layer<L>(self, layer: L) -> Self
    where
        L: Layer<Route> + Clone + Send + Sync + 'static,
        L::Service: Service<Request, Error = Infallible> + Clone + Send + Sync + 'static,
        <L::Service as Service<Request>>::Response: IntoResponse + 'static,
        <L::Service as Service<Request>>::Future: Send + 'static,
    {
        Self(self.0.layer(layer))
    }

    /// Wraps every handler in a layer of tower, so that it is not asked about other methods.
    ///
    /// # Panics
    ///
    /// When there is no handler yet.
    #[track_caller]
    pub fn route_layer<L>(self, layer: L) -> Self
    where
        L: Layer<Route> + Clone + Send + Sync + 'static,
        L::Service: Service<Request, Error = Infallible> + Clone + Send + Sync + 'static,
        <L::Service as Service<Request>>::Response: IntoResponse + 'static,
        <L::Service as Service<Request>>::Future: Send + 'static,
    {
        Self(self.0.route_layer(layer))
    }

    /// Gives the handlers their state.
    pub fn with_state<S2>(self, state: S) -> MethodRouter<S2> {
        MethodRouter(self.0.with_state(state))
    }
}

impl<S> Default for MethodRouter<S>
where
    S: Clone + Send + Sync + 'static,
{
    fn default() -> Self {
        Self::new()
    }
}

impl<S> From<MethodRouter<S>> for routing::MethodRouter<S> {
    fn from(routes: MethodRouter<S>) -> Self {
        routes.0
    }
}

impl<S> Clone for MethodRouter<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S> fmt::Debug for MethodRouter<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
