//! The example API: what its documentation promises, over real sockets. Where an answer depends on
//! how much time has passed, the example's own tests prove it with a manual clock; they run here too.

mod answers;
mod callers;
mod client;
mod live;
mod server;
#[cfg(feature = "redis")]
mod shared;

#[path = "../../examples/api/main.rs"]
#[expect(dead_code, reason = "the start of the server is proved by starting it")]
mod api;
