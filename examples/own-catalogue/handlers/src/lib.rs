//! The handlers of a library's service, each with its limit.

#![deny(warnings, missing_docs, clippy::pedantic)]

use axum::Router;
use axum::extract::{FromRef, Path};
use axum::routing::{get, post, put};
use library_limits::{Action, Class};
use limits::http::Gate;
use limits::rate_limited;

/// What the handlers need.
#[derive(Clone, FromRef)]
pub struct App {
    /// The gate of the catalogue's classes.
    pub gate: Gate<Class>,
}

/// Lists the books.
#[rate_limited(Class::Browse, crate = limits)]
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

/// All routes.
pub fn routes(app: App) -> Router {
    Router::new()
        .route("/books", get(list))
        .route("/books/{book_id}/loans", post(borrow))
        .route("/loans/{loan_id}", put(renew))
        .with_state(app)
}
