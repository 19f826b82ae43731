//! [`routes!`]: handlers under the method and path of their actions.

use ::axum::routing::MethodFilter;
use http::Method;

use super::Router;
use super::coverage::Mounted;
use crate::axum::handler::{Declares, LimitedHandler};
use crate::declaration::Declaration;

/// Routes handlers under the method and path that the catalogue gives their actions.
///
/// ```
/// # use axum::extract::FromRef;
/// # use tollgate::http::Gate;
/// use tollgate::axum::routing::Router;
/// use tollgate::{Action, rate_limited, routes};
///
/// # #[derive(Clone, FromRef)]
/// # struct App {
/// #     gate: Gate,
/// # }
/// #[rate_limited(Action::MessageList)]
/// async fn list() {}
///
/// #[rate_limited(Action::MessageSend)]
/// async fn send() {}
///
/// fn app(state: App) -> Router {
///     routes![list, send, ..].with_state(state)
/// }
/// ```
///
/// The list is whole: an action of the catalogue that enters by HTTP and has no handler in it is a
/// compile error that names it. So is an action with two handlers, and a handler that declares no action, which
/// [`Router::route`] mounts. A trailing `..` says that the list is partial on purpose.
///
/// The result is a [`Router`] for more routes, to merge or to nest.
#[macro_export]
macro_rules! routes {
    ($($handlers:tt)*) => {
        $crate::__private::axum::routes! { $crate; $($handlers)* }
    };
}

/// The declaration of a handler, whose type is known by its value.
#[must_use]
pub const fn declared<C: 'static, H: Declares<C>>(_: &H) -> Declaration<C> {
    H::DECLARATION
}

/// Routes the handler under the method and path of its action.
///
/// # Panics
///
/// When there is none; `routes![..]` has refused that when it was compiled.
#[track_caller]
pub fn mount<H, T, S>(router: Router<S>, mounted: &Mounted, handler: H) -> Router<S>
where
    H: LimitedHandler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    let (_, operation) = mounted.expect("every handler in `routes!` has an action");
    let filter = Method::from_bytes(operation.method.as_bytes());
    let filter = filter.ok().and_then(|method| MethodFilter::try_from(method).ok());
    let filter = filter.expect("the catalogue has methods that can be routed");
    router.route(operation.path, super::on(filter, handler))
}
