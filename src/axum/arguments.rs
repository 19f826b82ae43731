//! The arguments of a handler: each an extractor, the last one free to take the body.

use std::future::Future;

use ::axum::body::Body;
use ::axum::extract::{FromRequest, FromRequestParts, Request};
use ::axum::response::{IntoResponse, Response};
use http::request::Parts;

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
    /// Extracts them in order; the first that fails answers the request.
    fn extract(
        parts: Parts,
        body: Body,
        state: &S,
    ) -> impl Future<Output = Result<Self, Response>> + Send;
}

impl<S: Sync> Arguments<S, ()> for () {
    async fn extract(_: Parts, _: Body, _: &S) -> Result<Self, Response> {
        Ok(())
    }
}

impl<S, M, A> Arguments<S, M> for (A,)
where
    S: Sync,
    A: FromWhole<S, M>,
{
    async fn extract(parts: Parts, body: Body, state: &S) -> Result<Self, Response> {
        match A::from_request(Request::from_parts(parts, body), state).await {
            Ok(only) => Ok((only,)),
            Err(rejection) => Err(rejection.into_response()),
        }
    }
}

macro_rules! arguments {
    ($($head:ident)+ ; $last:ident) => {
        impl<S, M, $($head,)+ $last> Arguments<S, M> for ($($head,)+ $last,)
        where
            S: Send + Sync,
            $($head: FromHead<S>,)+
            $last: FromWhole<S, M>,
        {
            #[expect(
                non_snake_case,
                reason = "each value is named after its type, which is the name that the macro has"
            )]
            async fn extract(
                mut parts: Parts,
                body: Body,
                state: &S,
            ) -> Result<Self, Response> {
                $(
                    let $head = match $head::from_request_parts(&mut parts, state).await {
                        Ok(value) => value,
                        Err(rejection) => return Err(rejection.into_response()),
                    };
                )+
                match $last::from_request(Request::from_parts(parts, body), state).await {
                    Ok(last) => Ok(($($head,)+ last,)),
                    Err(rejection) => Err(rejection.into_response()),
                }
            }
        }
    };
}

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
