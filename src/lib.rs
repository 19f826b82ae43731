//! Rate limits as a checked part of the program.

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
#[cfg(feature = "axum")]
pub mod axum;
mod bucket;
mod caller;
pub mod catalogue;
pub mod clock;
pub mod config;
pub mod decision;
mod declaration;
mod generated;
#[cfg(feature = "gate")]
pub mod http;
pub mod key;
pub mod limiter;
pub mod limits;
mod nearest;
mod no_classes;
mod store;
mod sync;

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

#[doc = include_str!("../docs/attribute.md")]
pub use tollgate_macros::rate_limited;
