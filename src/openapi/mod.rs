//! Limits in documents of OpenAPI, for [utoipa].
//!
//! - [`DocumentedLimits`] writes into a whole document what each of its operations is limited to:
//!   as a sentence, as the extension `x-rate-limit`, as the headers of its answers, and as the answers
//!   429 and 503.
//! - [`Refusals`] are these two answers for one operation, for `responses(..)` of `#[utoipa::path]`.
//!
//! [utoipa]: ::utoipa

mod answers;
mod limits;
mod operation;

pub use answers::Refusals;
pub use limits::{DocumentedLimits, UnknownOperations};
