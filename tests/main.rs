//! The integration tests, one module a subject.

#![expect(clippy::disallowed_types, reason = "tests may use the standard mutex")]

#[cfg(feature = "axum")]
mod attribute;
mod catalogue;
mod config;
mod engine;
#[cfg(feature = "axum")]
mod example_api;
mod functions;
#[cfg(feature = "gate")]
mod fuzz;
#[cfg(feature = "gate")]
mod http;
#[cfg(all(feature = "axum", feature = "utoipa"))]
mod openapi;
#[cfg(feature = "redis")]
mod redis;

// The example as it is, so that its own tests run with these. A target of its own for that would
// take the place of its binary.
#[cfg(feature = "axum")]
#[expect(dead_code, reason = "no test starts it through its `main`")]
#[path = "../examples/gateway/main.rs"]
mod example_gateway;

#[cfg(not(feature = "redis"))]
#[test]
fn tests_on_redis_and_valkey_are_left_out_without_their_feature() {
    use std::io::Write;
    // Written past the capture of the test harness, which would swallow it.
    let text = "LEFT OUT: the clustered store on Redis and Valkey; add `--features redis`";
    writeln!(std::io::stderr().lock(), "{text}").expect("standard error is open");
}
