//! The HTTP front.

#[cfg(feature = "axum")]
mod budgets;
mod credentials;
mod gate;
mod logs;
mod support;
mod tower;
