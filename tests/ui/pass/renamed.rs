#![deny(warnings)]
//! The library under another name.

mod vendor {
    pub(crate) use tollgate as limits;
}

use axum::extract::FromRef;
use vendor::limits::{Class, rate_limited};

#[derive(Clone, FromRef)]
struct App {
    gate: vendor::limits::http::Gate,
}

#[rate_limited(Class::Read, crate = crate::vendor::limits)]
async fn list() {}

fn main() {
    let _: axum::Router<App> = axum::Router::new().route("/list", axum::routing::get(list));
}
