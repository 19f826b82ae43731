//! The hosts, one a framework.

pub(crate) mod actix;
pub(crate) mod axum;
pub(crate) mod tonic;
pub(crate) mod tower;

use tollgate::catalogue::KeyKind;
use tollgate::http::Gate;
use tollgate::tower::LimitLayer;
use tollgate::{Action, Class, Limits, RouteBudget};

use crate::host::Route;

/// The budget of the route that has one, where a host does not declare it by the attribute: 6 a
/// minute, burst 1, by client address.
fn budget() -> RouteBudget {
    let limits = Limits::per_minute(6, 1).expect("the limits are in range");
    RouteBudget::new("own", limits, KeyKind::ClientIp)
}

/// The limit in front of a route where layers of tower say it; none in front of the exempt one.
fn limit_of(route: Route, gate: &Gate) -> Option<LimitLayer> {
    let gate = gate.clone();
    Some(match route {
        Route::Budget => LimitLayer::budget(gate, budget()),
        Route::Exempt => return None,
        Route::Export | Route::Failing => {
            LimitLayer::class(gate, Class::Export).expect("a class of HTTP")
        }
        Route::Plain => LimitLayer::defaults(gate),
        Route::Register => {
            LimitLayer::action(gate, Action::AuthRegister).expect("an action of HTTP")
        }
    })
}
