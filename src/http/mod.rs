//! The HTTP front of the limiter, for any framework on the types of the [`http`] crate.
//!
//! An adapter translates a request into a [`RequestView`], asks [`Gate::check`], and either
//! answers with the refusal as it is or lets the handler run and puts the [`Fields`] on what comes
//! back. Everything else is decided here: who is asking, which bucket that is, what the answer says.
//!
//! [`http`]: ::http

mod answer;
mod budgets;
mod builder;
mod client_ip;
mod credentials;
mod exceeded;
mod fields;
mod gate;
mod grpc;
mod inner;
mod passage;
mod preflight;
mod problem;
mod resolver;
mod ruling;
mod view;

pub use answer::{Refusal, RefusalKind};
pub use builder::{GateBuilder, InvalidGate};
pub use credentials::{Attempt, CredentialGuard, FailedCredentials};
pub use exceeded::Exceeded;
pub use fields::{Fields, TimeProfile};
#[cfg(feature = "actix")]
pub(crate) use fields::{LIMIT, POLICY};
pub use gate::{Checked, Gate};
pub(crate) use inner::Admission;
#[cfg(feature = "axum")]
pub(crate) use inner::Asked;
pub(crate) use passage::Passage;
pub(crate) use preflight::is_preflight;
pub use ruling::Ruling;
pub use view::RequestView;
