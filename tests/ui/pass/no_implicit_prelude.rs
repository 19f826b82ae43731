#![no_implicit_prelude]
#![deny(warnings)]

//! Without the prelude, and with names of its own for what is in it.

use ::std::clone::Clone;
use ::axum::extract::FromRef;

mod decoys {
    pub(crate) struct Option;
    pub(crate) struct Result;
    pub(crate) struct Send;
}

#[derive(Clone, FromRef)]
struct App {
    gate: ::tollgate::http::Gate,
}

mod handlers {
    #[allow(unused_imports)]
    use crate::decoys::*;

    #[::tollgate::rate_limited(::tollgate::Class::Read, cost = 2)]
    pub(crate) async fn list(_body: ::std::string::String) {}

    #[::tollgate::rate_limited(default)]
    pub(crate) async fn default() {}
}

fn main() {
    let _: ::axum::Router<App> = ::axum::Router::new()
        .route("/list", ::axum::routing::post(handlers::list))
        .route("/default", ::axum::routing::post(handlers::default));
}
