#![deny(warnings)]
//! A catalogue of one's own, whose three actions with a path all have a handler.

mod catalogue {
    use tollgate as __tollgate;

    include!("../../golden/odd/catalogue.rs");
}

use catalogue::{Action, Class};
use tollgate::axum::routing::Router;
use tollgate::http::Gate;
use tollgate::{rate_limited, routes};

#[rate_limited(Action::Class)]
async fn first() {}

#[rate_limited(Action::Match)]
async fn second() {}

#[rate_limited(Action::Action)]
async fn third(_body: String) {}

fn main() {
    let _: Router<Gate<Class>> = routes![third, second, first];
}
