//! Rate limits as a checked part of the program.
//!
//! A catalogue lists the classes of limits and the actions of a product. The build turns it into two
//! closed enums, [`Class`] and [`Action`]; a handler declares its class or its action with
//! [`rate_limited`]; the compiler refuses a handler that names a wrong one. At run time a [`Limiter`]
//! keeps exact token buckets in a table of fixed size, and a gate puts them in front of HTTP.
//!
#![cfg_attr(feature = "axum", doc = "```")]
#![cfg_attr(not(feature = "axum"), doc = "```ignore")]
//! use axum::body::Body;
//! use axum::http::Request;
//! use tollgate::axum::routing::{Router, get};
//! use tollgate::http::Gate;
//! use tollgate::{Class, Config, Limiter, rate_limited};
//! use tower::ServiceExt;
//!
//! #[rate_limited(Class::Read)]
//! async fn hello() -> &'static str {
//!     "hello"
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let config = Config::default();
//!     let gate = Gate::builder(Limiter::new(&config)?).build()?;
//!     let app = Router::new().route("/", get(hello)).with_state(gate);
//!
//!     let answer = app.oneshot(Request::new(Body::empty())).await?;
//!     assert_eq!(answer.headers()["ratelimit-policy"], r#""rl.read";q=600;w=60"#);
//!     assert_eq!(answer.headers()["ratelimit"], r#""rl.read";r=119;t=1"#);
//!     Ok(())
//! }
//! ```
//!
//! # Overview
//!
//! - **Declaring limits**: [`rate_limited`] on a handler; [`Class`] and [`Action`] are the catalogue that
//!   comes with the crate, and a catalogue of your own works the same way.
//! - **Settings**: [`Config`] merges the catalogue, the program, files and the environment, and reports
//!   everything that is wrong at once.
//! - **Deciding**: [`Limiter`] gives a [`Decision`] for a class and a key; a refusal is a value and not an
//!   error. It needs no web framework.
#![cfg_attr(feature = "gate", doc = "- **HTTP**: [the gate](http::Gate)")]
#![cfg_attr(not(feature = "gate"), doc = "- **HTTP**: the gate of the module `http`")]
//!   finds out who asks, writes the fields and answers refusals; the module `axum` joins it to a router,
//!   the module `actix` to actix-web, and the module `tower` to any other service.
//! - **Callers**: [`Caller`] says who is behind a request.
//!
//! # The guide
//!
#![cfg_attr(feature = "axum", doc = "[The guide](guide)")]
#![cfg_attr(
    not(feature = "axum"),
    doc = "The guide, the module `guide` where the feature `axum` is,"
)]
//! has one chapter a theme. It is made of the files in `docs/`, which can be read there too.
//!
//! # Features
//!
//! | Feature | What it adds |
//! |---|---|
//! | `actix` | middleware for actix-web; brings `gate` |
//! | `axum` (default) | limited handlers for axum; brings `gate` and `tokio` |
//! | `gate` | the front for any framework on the `http` types |
//! | `metrics` | an observer that counts for the `metrics` facade |
//! | `opentelemetry` | an observer that counts with OpenTelemetry's instruments |
//! | `redis` | classes that many nodes share, on Redis or Valkey; needs Rust 1.88 |
//! | `tokio` | `Limiter::run`, which sweeps on a timer |
//! | `utoipa` | limits in documents of OpenAPI; brings `gate`; needs Rust 1.88 |
//! | `tsc` | `clock::TscClock`, which counts the cycles of the processor and is faster to read |
//! | `uuid` | UUIDs as components of keys |

// The program of the README is compiled with the tests.
#[cfg(all(doctest, feature = "axum"))]
#[doc = include_str!("../README.md")]
mod readme {}

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
#[cfg(feature = "actix")]
pub mod actix;
#[cfg(feature = "axum")]
pub mod axum;
mod bucket;
mod caller;
pub mod catalogue;
pub mod clock;
pub mod config;
#[cfg(test)]
#[path = "../tests/conformance/mod.rs"]
mod conformance;
pub mod decision;
mod declaration;
mod generated;
mod guard;
#[cfg(all(doc, feature = "axum"))]
pub mod guide;
#[cfg(feature = "gate")]
pub mod http;
pub mod key;
pub mod limiter;
pub mod limits;
mod list;
mod nearest;
mod no_classes;
pub mod observe;
#[cfg(feature = "utoipa")]
pub mod openapi;
mod store;
mod sync;
#[cfg(feature = "gate")]
pub mod tower;

mod reference {
    crate::catalogue!();
}

pub use caller::{Caller, Subject};
pub use config::Config;
pub use decision::Decision;
pub use declaration::{Declaration, RouteBudget};
pub use key::{Key, ToKey};
pub use limiter::Limiter;
pub use limits::Limits;
pub use reference::{Action, Class};

#[cfg_attr(feature = "axum", doc = include_str!("../docs/attribute.md"))]
#[cfg_attr(
    not(feature = "axum"),
    doc = "Declares the rate limit of a function; the feature `axum` brings the form for handlers."
)]
pub use tollgate_macros::rate_limited;
