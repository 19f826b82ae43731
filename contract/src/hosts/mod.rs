//! The hosts, one a framework.

pub(crate) mod actix;
pub(crate) mod axum;
pub(crate) mod tonic;
pub(crate) mod tower;

use tollgate::catalogue::KeyKind;
use tollgate::{Limits, RouteBudget};

/// The budget of the route that has one, where a host does not declare it by the attribute: 6 a
/// minute, burst 1, by client address.
fn budget() -> RouteBudget {
    let limits = Limits::per_minute(6, 1).expect("the limits are in range");
    RouteBudget::new("own", limits, KeyKind::ClientIp)
}
