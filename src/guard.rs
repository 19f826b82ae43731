//! What a function calls that `#[rate_limited(.., limiter = .., key = ..)]` has put a guard into.

use crate::__private::InCatalogue;
use crate::decision::{AcquireError, Decision, NotAdmitted};
use crate::limiter::{Handle, Limiter};

/// A cost that a call can have, given the burst of its class in the catalogue.
///
/// # Panics
///
/// When the cost is 0 or above the burst; in a declaration that is a compile error.
#[must_use]
#[track_caller]
pub const fn cost(cost: u32, burst: u64) -> u32 {
    assert!(cost > 0, "a call costs at least 1 token");
    assert!(
        cost as u64 <= burst,
        "this cost is above the burst of the class, so that no call could ever be admitted; lower it, or \
         raise the burst in the catalogue"
    );
    cost
}

/// The handle that a guarded function takes its tokens from.
///
/// # Panics
///
/// When the cost is 0, which [`cost`] has refused when it was compiled.
#[must_use]
pub fn guard<N: InCatalogue>(
    name: N,
    limiter: &Limiter<N::Class>,
    cost: Option<u32>,
) -> Handle<'_, N::Class> {
    let (class, declared) = name.class_and_cost();
    let handle = limiter.class(class).cost(u64::from(cost.unwrap_or(declared)));
    handle.expect("the catalogue and `cost` have checked that it is at least 1")
}

/// Whether a guarded function may run.
///
/// # Errors
///
/// When it may not.
pub fn admitted<C: Copy>(
    acquired: Result<Decision<C>, AcquireError>,
) -> Result<Decision<C>, NotAdmitted<C>> {
    acquired?.admitted()
}
