//! The HTTP front.

#[cfg(feature = "actix")]
mod actix;
mod addresses;
#[cfg(feature = "axum")]
mod budgets;
mod credentials;
#[cfg(feature = "axum")]
mod defaults;
mod gate;
mod logs;
#[cfg(feature = "axum")]
mod reload;
mod support;
mod tower;
mod waits;
