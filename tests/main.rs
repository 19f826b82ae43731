//! The integration tests, one module a subject.

#[cfg(feature = "axum")]
mod attribute;
mod catalogue;
mod config;
mod engine;
#[cfg(feature = "axum")]
mod example_api;
mod functions;
#[cfg(feature = "gate")]
mod http;

// The example as it is, so that its own tests run with these. A target of its own for that would
// take the place of its binary.
#[cfg(feature = "axum")]
#[expect(dead_code, reason = "no test starts it through its `main`")]
#[path = "../examples/gateway/main.rs"]
mod example_gateway;
