//! Routing that accepts only handlers which declare a limit.
//!
//! The functions and types here stand in for those of [`::axum::routing`], and take the
//! same arguments, with one difference: every handler is a [`LimitedHandler`]. One that declares
//! nothing does not compile:
//!
//! ```compile_fail
//! use tollgate::axum::routing::get;
//!
//! async fn list() {}
//!
//! let routes: tollgate::axum::routing::MethodRouter = get(list);
//! ```
//!
//! What handles requests without a handler, such as a service of its own, a router of another
//! library or a directory of files, is mounted by a name that says so: [`Router::route_service`],
//! [`Router::nest_service`], [`Router::fallback_service`], [`Router::unchecked`].
//!
//! A preflight request of CORS costs nothing as long as nobody declared to handle it: with a layer for
//! CORS in front it reaches no handler, and without one a route that has no `OPTIONS` handler
//! refuses the method. A handler for [`options`], for [`any`] method or for the [`fallback`](Router::fallback)
//! is a handler of preflight requests, too, and is limited as it declares.

pub(super) mod coverage;
mod door;
mod method;
mod router;
pub(super) mod routes;
mod text;

use ::axum::routing::MethodFilter;

pub(super) use door::Pending;
pub use method::MethodRouter;
pub use router::{LimitedRoutes, Router};

use super::handler::LimitedHandler;

/// Routes requests of any method to this handler.
pub fn any<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: LimitedHandler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::any(handler)
}

/// Routes `CONNECT` to this handler.
pub fn connect<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: LimitedHandler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::new().on(MethodFilter::CONNECT, handler)
}

/// Routes `DELETE` to this handler.
pub fn delete<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: LimitedHandler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::new().on(MethodFilter::DELETE, handler)
}

/// Routes `GET` and `HEAD`, unless `HEAD` has a handler of its own to this handler.
pub fn get<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: LimitedHandler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::new().on(MethodFilter::GET, handler)
}

/// Routes `HEAD` to this handler.
pub fn head<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: LimitedHandler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::new().on(MethodFilter::HEAD, handler)
}

/// Routes `OPTIONS` to this handler.
pub fn options<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: LimitedHandler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::new().on(MethodFilter::OPTIONS, handler)
}

/// Routes `PATCH` to this handler.
pub fn patch<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: LimitedHandler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::new().on(MethodFilter::PATCH, handler)
}

/// Routes `POST` to this handler.
pub fn post<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: LimitedHandler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::new().on(MethodFilter::POST, handler)
}

/// Routes `PUT` to this handler.
pub fn put<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: LimitedHandler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::new().on(MethodFilter::PUT, handler)
}

/// Routes `TRACE` to this handler.
pub fn trace<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: LimitedHandler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::new().on(MethodFilter::TRACE, handler)
}

/// Routes the methods of the filter to this handler.
pub fn on<H, T, S>(filter: MethodFilter, handler: H) -> MethodRouter<S>
where
    H: LimitedHandler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::new().on(filter, handler)
}
