//! The arguments of a handler: each an extractor, the last one free to take the body.

use std::future::Future;

use ::axum::extract::{FromRequest, FromRequestParts, Request};
use ::axum::response::IntoResponse;

use super::routing::Pending;
use super::serve::HandlerFuture;
use crate::http::Fields;

/// An argument of a handler before its last: an extractor that leaves the body alone.
///
/// Every [`FromRequestParts`] is one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be extracted from the head of a request",
    label = "one of its arguments is not an extractor",
    note = "only the last argument of a handler may take the body, as `Json`, `Form`, `Bytes` and `String` do",
    note = "`State<T>` needs a state with `T: FromRef<_>`; `Path` and `Query` need a type that implements `Deserialize`"
)]
pub trait FromHead<S>: FromRequestParts<S> + Send {}

#[diagnostic::do_not_recommend]
impl<S, T: FromRequestParts<S> + Send> FromHead<S> for T {}

/// The last argument of a handler: an extractor that may take the body.
///
/// Every [`FromRequest`] is one, and so is every [`FromRequestParts`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be extracted from a request",
    label = "its last argument is not an extractor",
    note = "`State<T>` needs a state with `T: FromRef<_>`; `Path`, `Query` and `Json` need a type that implements `Deserialize`"
)]
pub trait FromWhole<S, M>: FromRequest<S, M> + Send {}

#[diagnostic::do_not_recommend]
impl<S, M, T: FromRequest<S, M> + Send> FromWhole<S, M> for T {}

/// All arguments of a handler together, as a tuple.
pub trait Arguments<S, M>: Sized + Send {
    /// Extracts them in order and calls the handler; the first that fails answers the request. The
    /// fields go on whatever comes back.
    fn answer<F, R>(request: Request, state: S, handler: F, fields: Fields) -> HandlerFuture
    where
        F: FnOnce(Self) -> R + Send + 'static,
        R: Future<Output: IntoResponse> + Send;
}

impl<S> Arguments<S, ()> for () {
    // The request and the state end here, instead of moving into a future that has no use for them.
    #[inline]
    fn answer<F, R>(_: Request, _: S, handler: F, fields: Fields) -> HandlerFuture
    where
        F: FnOnce(Self) -> R + Send + 'static,
        R: Future<Output: IntoResponse> + Send,
    {
        Box::pin(async move {
            let mut response = handler(()).await.into_response();
            fields.write(response.headers_mut());
            response
        })
    }
}

macro_rules! arguments {
    ($($head:ident)* ; $last:ident) => {
        impl<S, M, $($head,)* $last> Arguments<S, M> for ($($head,)* $last,)
        where
            S: Send + Sync + 'static,
            $($head: FromHead<S>,)*
            $last: FromWhole<S, M>,
        {
            #[expect(
                non_snake_case,
                reason = "each value is named after its type, which is the name that the macro has"
            )]
            fn answer<F, R>(
                request: Request,
                state: S,
                handler: F,
                fields: Fields,
            ) -> HandlerFuture
            where
                F: FnOnce(Self) -> R + Send + 'static,
                R: Future<Output: IntoResponse> + Send,
            {
                Box::pin(async move {
                    let (mut parts, body) = request.into_parts();
                    // An extractor may hand the request to another router.
                    Pending::cancel(&mut parts.extensions);
                    let mut response = 'answer: {
                        $(
                            let $head = match $head::from_request_parts(&mut parts, &state).await {
                                Ok(value) => value,
                                Err(rejection) => break 'answer rejection.into_response(),
                            };
                        )*
                        let whole = Request::from_parts(parts, body);
                        let $last = match $last::from_request(whole, &state).await {
                            Ok(value) => value,
                            Err(rejection) => break 'answer rejection.into_response(),
                        };
                        handler(($($head,)* $last,)).await.into_response()
                    };
                    fields.write(response.headers_mut());
                    response
                })
            }
        }
    };
}

arguments!(; T1);
arguments!(T1; T2);
arguments!(T1 T2; T3);
arguments!(T1 T2 T3; T4);
arguments!(T1 T2 T3 T4; T5);
arguments!(T1 T2 T3 T4 T5; T6);
arguments!(T1 T2 T3 T4 T5 T6; T7);
arguments!(T1 T2 T3 T4 T5 T6 T7; T8);
arguments!(T1 T2 T3 T4 T5 T6 T7 T8; T9);
arguments!(T1 T2 T3 T4 T5 T6 T7 T8 T9; T10);
arguments!(T1 T2 T3 T4 T5 T6 T7 T8 T9 T10; T11);
arguments!(T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11; T12);
arguments!(T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11 T12; T13);
arguments!(T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11 T12 T13; T14);
arguments!(T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11 T12 T13 T14; T15);
arguments!(T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11 T12 T13 T14 T15; T16);
