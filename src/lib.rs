//! Rate limits as a checked part of the program.

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
#[cfg(feature = "axum")]
pub mod axum;
mod caller;
pub mod catalogue;
pub mod config;
mod declaration;
mod generated;
#[cfg(feature = "gate")]
pub mod http;
pub mod limits;
mod nearest;

mod reference {
    use crate as __tollgate;
    include!(concat!(env!("OUT_DIR"), "/tollgate_catalogue.rs"));
}

pub use caller::{Caller, Subject};
pub use config::Config;
pub use declaration::{Declaration, RouteBudget};
pub use limits::Limits;
pub use reference::{Action, Class};

/// Declares the rate limit of a handler.
pub use tollgate_macros::rate_limited;
