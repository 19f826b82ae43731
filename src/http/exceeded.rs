//! [`Exceeded`]: the event of a request that was refused because a quota is used up.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A request that was refused because a quota is used up: what `rate_limit.exceeded_total` counts.
///
/// Every value is one of a closed set, so all of them are fit to be labels of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exceeded<'a> {
    /// The name of the gate.
    pub plugin: &'a str,
    /// The template of the route, as in `/v1/channels/{channel_id}`; empty when it is not known,
    /// as it is before routing and where nothing matched.
    pub route: &'a str,
    /// What the first limit that refused is keyed by, in snake case.
    pub key_kind: &'static str,
}

type Function = dyn Fn(&Exceeded<'_>) + Send + Sync;

/// Who wants to know.
#[derive(Clone, Default)]
pub(super) struct Counter(pub(super) Option<Arc<Function>>);

impl Counter {
    /// Reports one refused request. A function that panics harms neither the request nor others.
    pub(super) fn count(&self, event: &Exceeded<'_>) {
        let Some(function) = &self.0 else { return };
        if catch_unwind(AssertUnwindSafe(|| function(event))).is_err() {
            tracing::error!("the function that counts refused requests panicked");
        }
    }
}

impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counter").finish_non_exhaustive()
    }
}
