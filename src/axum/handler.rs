//! [`LimitedHandler`]: a handler that declares its limit; [`HasGate`]: a state that can hold it to it.

use ::axum::extract::FromRef;
use ::axum::handler::{Handler, Layered};

use crate::catalogue::Catalogue;
use crate::declaration::Declaration;
use crate::http::Gate;

/// A handler that declares its rate limit; what `#[rate_limited(..)]` makes of an `async fn`.
///
/// Nobody implements this by hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` declares no rate limit",
    label = "this handler declares no rate limit",
    note = "write `#[rate_limited(Class::..)]` or `#[rate_limited(Action::..)]` above the handler",
    note = "a handler without a class says so: `#[rate_limited(default)]` for the host's default budgets, \
            `#[rate_limited(exempt = \"why\")]` for no limit at all"
)]
pub trait LimitedHandler<T, S>: Handler<T, S> {}

/// A layer around a handler changes nothing about what the handler declares.
#[diagnostic::do_not_recommend]
impl<L, H, T, S> LimitedHandler<T, S> for Layered<L, H, T, S>
where
    H: LimitedHandler<T, S>,
    Self: Handler<T, S>,
{
}

/// What a handler declares, in the catalogue `C`; a handler that names no class is of every one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` declares no action",
    label = "this handler declares no action",
    note = "write `#[rate_limited(Action::..)]` above the handler; its route has method and path from the action"
)]
pub trait Declares<C: 'static> {
    /// The declaration.
    const DECLARATION: Declaration<C>;
}

/// A state that provides the [`Gate`] of the catalogue `C`: every state with `Gate<C>: FromRef<_>`.
#[diagnostic::on_unimplemented(
    message = "the state `{Self}` provides no `Gate<{C}>`, so the limits of its handlers cannot be held",
    label = "a handler with a rate limit needs a state with a `Gate`",
    note = "give the state a field `gate: Gate` and derive `FromRef` on it (which needs the feature `macros` of axum), or write \
            `impl FromRef<{Self}> for Gate<{C}>`",
    note = "where `{Self}` is not the state of the router but a part of it that the handler takes, the state \
            lacks an `impl FromRef<_> for {Self}`"
)]
pub trait HasGate<C: Catalogue>: Send + Sync {
    /// The gate, sharing its state with the one in here.
    fn gate(&self) -> Gate<C>;
}

#[diagnostic::do_not_recommend]
impl<C, S> HasGate<C> for S
where
    C: Catalogue,
    S: Send + Sync,
    Gate<C>: FromRef<S>,
{
    fn gate(&self) -> Gate<C> {
        Gate::from_ref(self)
    }
}
