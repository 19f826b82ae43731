//! What a function calls that `#[rate_limited(.., limiter = .., key = ..)]` has put a guard into.

use std::fmt;
use std::sync::Arc;

use crate::__private::InCatalogue;
use crate::decision::NotAdmitted;
use crate::limiter::{Acquire, Engine, Handle, Limiter, Running};

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

/// A guarded function that runs; closing its limiter waits until this is dropped.
pub struct Entered {
    _running: Running<Arc<Engine>>,
}

/// Lets a guarded function run when its tokens are there.
///
/// # Errors
///
/// When they are not.
pub async fn enter<C: Copy>(
    handle: &Handle<'_, C>,
    acquire: Acquire<'_, C>,
) -> Result<Entered, NotAdmitted<C>> {
    let running = handle.enter()?;
    let _admitted = acquire.await?.admitted()?;
    Ok(Entered { _running: running })
}

impl fmt::Debug for Entered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entered").finish_non_exhaustive()
    }
}
