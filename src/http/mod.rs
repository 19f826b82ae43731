//! The HTTP front of the limiter, for any framework on the types of the [`http`] crate.
//!
//! An adapter translates a request into a [`RequestView`], asks [`Gate::check`], and either
//! answers with the refusal as it is or lets the handler run and puts the [`Fields`] on what comes
//! back. Everything else is decided here: who is asking, which bucket that is, what the answer says.
//!
//! [`http`]: ::http

mod answer;
mod builder;
mod client_ip;
mod fields;
mod gate;
mod problem;
mod resolver;
#[doc(hidden)]
pub mod stand_in;
mod view;

pub use answer::{Refusal, RefusalKind};
pub use builder::{GateBuilder, InvalidGate};
pub use fields::{Fields, TimeProfile};
pub use gate::{Checked, Gate};
pub use view::RequestView;
