#![deny(warnings)]
//! Handlers that a macro writes, odd types of arguments and of answers.

use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{FromRef, Path, Request};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::{Extension, Json};
use tollgate::axum::routing::{Router, get, post};
use tollgate::catalogue::KeyKind;
use tollgate::http::Gate;
use tollgate::{Class, rate_limited};

#[derive(Clone, FromRef)]
struct App {
    gate: Gate,
}

macro_rules! handler {
    ($name:ident, $class:path, $cost:expr, $argument:ty, $answer:expr) => {
        #[rate_limited($class, cost = $cost)]
        async fn $name(_: $argument) -> &'static str {
            $answer
        }
    };
}

handler!(written, Class::Read, 2, Option<Extension<u8>>, "written");

macro_rules! exempt {
    ($name:ident, $why:literal, $per_minute:expr) => {
        #[rate_limited(exempt = $why)]
        async fn $name() {}

        mod budget {
            use super::{KeyKind, rate_limited};

            #[rate_limited(per_minute = $per_minute, burst = 1, key = KeyKind::Global)]
            pub(super) async fn $name() {}
        }
    };
}

exempt!(free, "for the sake of the example", 5);

#[rate_limited(Class::Read)]
async fn results(
    _: Result<Path<u64>, PathRejection>,
    _: HeaderMap,
    (_, _): (Option<Extension<u8>>, HeaderMap),
    _: Result<Json<Vec<u8>>, JsonRejection>,
) -> Result<impl IntoResponse, (StatusCode, String)> {
    Ok([("x-one", "1")])
}

#[rate_limited(Class::Read)]
async fn never() -> StatusCode {
    if std::hint::black_box(true) {
        return StatusCode::NO_CONTENT;
    }
    unreachable!()
}

#[rate_limited(Class::Read)]
async fn call(_: Request) {}

fn main() {
    let _: Router<App> = Router::new()
        .route("/written", get(written))
        .route("/free", get(free).post(budget::free))
        .route("/results/{id}", post(results))
        .route("/never", get(never))
        .route("/call", get(call));
}
