//! The integration tests, one module a subject.

#[cfg(feature = "axum")]
mod attribute;
mod catalogue;
mod config;
mod engine;
#[cfg(feature = "axum")]
mod example_api;
#[cfg(feature = "gate")]
mod http;
