//! The handlers of a library's service, each with its limit.

#![deny(warnings, missing_docs, clippy::pedantic)]

use axum::extract::{FromRef, Path};
use library_limits::{Action, Class};
use limits::axum::routing::{Router, get};
use limits::http::Gate;
use limits::rate_limited;

/// What the handlers need.
#[derive(Clone, Debug, FromRef)]
pub struct App {
    /// The gate of the catalogue's classes.
    pub gate: Gate<Class>,
}

/// Lists the books.
#[rate_limited(Action::BookList, crate = limits)]
pub async fn list() -> &'static str {
    "three books\n"
}

/// Borrows a book.
#[rate_limited(Action::BookBorrow, crate = limits)]
pub async fn borrow(Path(book): Path<String>) -> String {
    format!("{book} is yours\n")
}

/// Renews a loan, which costs as much as two books.
#[rate_limited(Action::LoanRenew, crate = limits)]
pub async fn renew(Path(loan): Path<String>) -> String {
    format!("{loan} goes on\n")
}

/// Says when the library is open; no action of the catalogue, and limited all the same.
#[rate_limited(Class::Browse, crate = limits)]
pub async fn hours() -> &'static str {
    "always\n"
}

/// Every route: those of the actions, which the compiler counts, and one more.
pub fn routes(app: App) -> Router {
    limits::routes![list, borrow, renew].route("/hours", get(hours)).with_state(app)
}
