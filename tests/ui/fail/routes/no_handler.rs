//! A catalogue of three actions with a path, of which one has no handler.

mod catalogue {
    use tollgate as __tollgate;

    include!("../../../golden/odd/catalogue.rs");
}

use catalogue::{Action, Class};
use tollgate::axum::routing::Router;
use tollgate::http::Gate;
use tollgate::{rate_limited, routes};

#[rate_limited(Action::Class)]
async fn first() {}

#[rate_limited(Action::Match)]
async fn second() {}

fn router() -> Router<Gate<Class>> {
    routes![first, second]
}

fn main() {}
