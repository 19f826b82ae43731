#![deny(warnings, clippy::pedantic)]
//! Lists of routes: of handlers in modules and in functions, partial, nested, with a shadowed prelude.

use tollgate::axum::routing::Router;
use tollgate::http::Gate;
use tollgate::{Action, rate_limited};

mod messages {
    use tollgate::{Action, rate_limited};

    #[rate_limited(Action::MessageList)]
    pub(crate) async fn list() {}
}

#[rate_limited(Action::MessageSend)]
async fn send(_body: String) {}

fn router() -> Router<Gate> {
    #[rate_limited(Action::UserSelfRead)]
    async fn read() {}

    let more = tollgate::routes![read, ..];
    tollgate::routes![messages::list, send, ..].merge(more)
}

fn main() {
    let _: axum::Router<Gate> = router().into_axum();
}
