//! [`Router`]: paths to declared handlers.

use std::convert::Infallible;
use std::fmt;
use std::task::{Context, Poll};

use ::axum::Extension;
use ::axum::body::{Body, HttpBody};
use ::axum::extract::Request;
use ::axum::extract::connect_info::IntoMakeServiceWithConnectInfo;
use ::axum::response::IntoResponse;
use ::axum::routing::{IntoMakeService, Route, RouterIntoService};
use bytes::Bytes;
use tower_layer::Layer;
use tower_service::Service;

use super::MethodRouter;
use super::door::{DoorLayer, Pending};
use crate::axum::handler::LimitedHandler;
use crate::catalogue::Catalogue;
use crate::http::Gate;

/// Routes whose handlers all declare their limit.
///
/// Everything that axum's own router does it does the same way, through that router. An
/// application made of it becomes one with [`into_axum`](Self::into_axum), or is served directly:
///
/// ```no_run
/// use std::net::SocketAddr;
///
/// use tollgate::axum::routing::{Router, get};
/// use tollgate::rate_limited;
///
/// #[rate_limited(exempt = "the load balancer asks every second")]
/// async fn health() -> &'static str {
///     "well"
/// }
///
/// # async fn run() -> std::io::Result<()> {
/// let app = Router::new().route("/healthz", get(health));
/// let listener = tokio::net::TcpListener::bind(("127.0.0.1", 8080)).await?;
/// axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await
/// # }
/// ```
#[must_use = "routes answer nothing until they are served"]
pub struct Router<S = ()>(::axum::Router<S>);

/// What [`Router::route`] mounts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` accepts handlers that declare no rate limit",
    label = "not made by `tollgate::axum::routing`",
    note = "use `get`, `post` and their like from `tollgate::axum::routing` instead of `axum::routing`",
    note = "a service, or a router of another library, is mounted with `route_service`, `nest_service` or \
            `Router::unchecked`"
)]
pub trait LimitedRoutes<S> {
    /// The same routes for axum.
    fn into_axum(self) -> ::axum::routing::MethodRouter<S>;
}

#[diagnostic::do_not_recommend]
impl<S> LimitedRoutes<S> for MethodRouter<S>
where
    S: Clone + Send + Sync + 'static,
{
    fn into_axum(self) -> ::axum::routing::MethodRouter<S> {
        MethodRouter::into_axum(self)
    }
}

impl<S> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    /// No routes yet: every path answers 404.
    pub fn new() -> Self {
        Self::unchecked(::axum::Router::new())
    }

    /// Takes a router of axum's own, whatever its handlers declare.
    ///
    /// This is the way around the check, for the routes of other libraries: merge or nest it.
    pub fn unchecked(router: ::axum::Router<S>) -> Self {
        Self(router.layer(DoorLayer))
    }

    /// The same routes as a router of axum's own.
    pub fn into_axum(self) -> ::axum::Router<S> {
        self.0
    }

    /// Routes a path to these handlers; the syntax of paths is axum's, `/v1/channels/{channel_id}`.
    ///
    /// # Panics
    ///
    /// When the path is not one, or has a handler for one of the methods already.
    #[track_caller]
    pub fn route(self, path: &str, routes: impl LimitedRoutes<S>) -> Self {
        Self(self.0.route(path, routes.into_axum()))
    }

    /// Routes a path to a service, whose requests no limit sees but the
    /// [default budgets](Self::default_budgets).
    ///
    /// # Panics
    ///
    /// When the path is not one, or is routed already.
    #[track_caller]
    pub fn route_service<T>(self, path: &str, service: T) -> Self
    where
        T: Service<Request, Error = Infallible> + Clone + Send + Sync + 'static,
        T::Response: IntoResponse,
        T::Future: Send + 'static,
    {
        Self(self.0.route_service(path, DoorLayer.layer(service)))
    }

    /// Mounts these routes beneath a path.
    ///
    /// # Panics
    ///
    /// When the path is not one, or a route of both meet.
    #[track_caller]
    pub fn nest(self, path: &str, routes: Self) -> Self {
        Self(self.0.nest(path, routes.0))
    }

    /// Mounts a service beneath a path, whose requests no limit sees but the
    /// [default budgets](Self::default_budgets).
    ///
    /// # Panics
    ///
    /// When the path is not one, or is routed already.
    #[track_caller]
    pub fn nest_service<T>(self, path: &str, service: T) -> Self
    where
        T: Service<Request, Error = Infallible> + Clone + Send + Sync + 'static,
        T::Response: IntoResponse,
        T::Future: Send + 'static,
    {
        Self(self.0.nest_service(path, DoorLayer.layer(service)))
    }

    /// All routes of both.
    ///
    /// # Panics
    ///
    /// When both have a handler for one path and method, or both a fallback.
    #[track_caller]
    pub fn merge(self, other: Self) -> Self {
        Self(self.0.merge(other.0))
    }

    /// Wraps every route and the fallback in a layer of tower.
    pub fn layer<L>(self, layer: L) -> Self
    where
        L: Layer<Route> + Clone + Send + Sync + 'static,
        L::Service: Service<Request> + Clone + Send + Sync + 'static,
        <L::Service as Service<Request>>::Response: IntoResponse + 'static,
        <L::Service as Service<Request>>::Error: Into<Infallible> + 'static,
        <L::Service as Service<Request>>::Future: Send + 'static,
    {
        Self(self.0.layer(layer))
    }

    /// Wraps every route in a layer of tower, so that it is not asked about other paths.
    ///
    /// # Panics
    ///
    /// When there is no route yet.
    #[track_caller]
    pub fn route_layer<L>(self, layer: L) -> Self
    where
        L: Layer<Route> + Clone + Send + Sync + 'static,
        L::Service: Service<Request> + Clone + Send + Sync + 'static,
        <L::Service as Service<Request>>::Response: IntoResponse + 'static,
        <L::Service as Service<Request>>::Error: Into<Infallible> + 'static,
        <L::Service as Service<Request>>::Future: Send + 'static,
    {
        Self(self.0.route_layer(layer))
    }

    /// Answers every other path with this handler.
    pub fn fallback<H, T>(self, handler: H) -> Self
    where
        H: LimitedHandler<T, S>,
        T: 'static,
    {
        Self(self.0.fallback(handler))
    }

    /// Answers every other path with a service, whose requests no limit sees but the
    /// [default budgets](Self::default_budgets).
    pub fn fallback_service<T>(self, service: T) -> Self
    where
        T: Service<Request, Error = Infallible> + Clone + Send + Sync + 'static,
        T::Response: IntoResponse,
        T::Future: Send + 'static,
    {
        Self(self.0.fallback_service(DoorLayer.layer(service)))
    }

    /// Answers every other method of a routed path with this handler.
    pub fn method_not_allowed_fallback<H, T>(self, handler: H) -> Self
    where
        H: LimitedHandler<T, S>,
        T: 'static,
    {
        Self(self.0.method_not_allowed_fallback(handler))
    }

    /// Holds everything that declares no limit to the default budgets of the host: routes of other
    /// libraries, services, and the answers that there is nothing at a path or no such method.
    ///
    /// They are charged right before they run, inside of all layers of this router, so that the tenant is
    /// known. A declared handler is never asked about; that of a router which was brought in with
    /// [`unchecked`](Self::unchecked) or as a service is, and the budgets then get back what they gave.
    ///
    /// It concerns what is there already, like a [`layer`](Self::layer): call it when all routes are.
    ///
    /// ```
    /// use axum::routing;
    /// use tollgate::axum::routing::{Router, get};
    /// use tollgate::http::Gate;
    /// use tollgate::{Config, Limiter, rate_limited};
    ///
    /// #[rate_limited(exempt = "the load balancer asks every second")]
    /// async fn health() {}
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let config: Config = Config::builder().default_ip(600, 60).build()?;
    /// let gate = Gate::builder(Limiter::new(&config)?).build()?;
    /// let theirs = axum::Router::new().route("/theirs", routing::get(async || "theirs"));
    /// let app: Router = Router::unchecked(theirs).route("/healthz", get(health)).default_budgets(gate);
    /// # Ok(())
    /// # }
    /// ```
    pub fn default_budgets<C: Catalogue>(self, gate: Gate<C>) -> Self {
        Self(self.0.layer(Extension(Pending::new(gate))))
    }

    /// Gives the handlers their state.
    pub fn with_state<S2>(self, state: S) -> Router<S2> {
        Router(self.0.with_state(state))
    }

    /// A service for every kind of body.
    #[must_use]
    pub fn into_service<B>(self) -> RouterIntoService<B, S> {
        self.0.into_service()
    }
}

impl Router {
    /// A service for each connection.
    ///
    /// The limits by client address need
    /// [`into_make_service_with_connect_info`](Self::into_make_service_with_connect_info).
    #[must_use]
    pub fn into_make_service(self) -> IntoMakeService<::axum::Router> {
        self.0.into_make_service()
    }

    /// A service for each connection, which knows the peer's address: `C` is `SocketAddr`.
    #[must_use]
    pub fn into_make_service_with_connect_info<C>(
        self,
    ) -> IntoMakeServiceWithConnectInfo<::axum::Router, C> {
        self.0.into_make_service_with_connect_info()
    }
}

impl<B> Service<Request<B>> for Router
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<::axum::BoxError>,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = <::axum::Router as Service<Request<B>>>::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Service::<Request<B>>::poll_ready(&mut self.0, context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        self.0.call(request)
    }
}

impl<S> Default for Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    fn default() -> Self {
        Self::new()
    }
}

impl<S> From<Router<S>> for ::axum::Router<S> {
    fn from(router: Router<S>) -> Self {
        router.0
    }
}

impl<S> Clone for Router<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S> fmt::Debug for Router<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
