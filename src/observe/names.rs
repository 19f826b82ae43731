//! [`Names`]: what the numbers of a limiter are called in the metrics of its user.

use std::sync::Arc;

/// The names under one namespace.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) backend_latency: Arc<str>,
    pub(super) decisions: Arc<str>,
    pub(super) evictions: Arc<str>,
    #[cfg(feature = "gate")]
    pub(super) exceeded: Arc<str>,
    pub(super) failures: Arc<str>,
    pub(super) rejected: Arc<str>,
    pub(super) shadow_rejected: Arc<str>,
    pub(super) tracked_keys: Arc<str>,
    /// Of the labels.
    pub(super) class: Arc<str>,
    pub(super) code: Arc<str>,
    pub(super) outcome: Arc<str>,
}

impl Names {
    pub(super) fn new(namespace: &str) -> Self {
        let name = |name: &str| format!("{namespace}.ratelimit.{name}").into();
        Self {
            backend_latency: name("backend_latency"),
            decisions: name("decisions"),
            evictions: name("evictions"),
            #[cfg(feature = "gate")]
            exceeded: format!("{namespace}.rate_limit.exceeded_total").into(),
            failures: name("failures"),
            rejected: name("rejected"),
            shadow_rejected: name("shadow_rejected"),
            tracked_keys: name("tracked_keys"),
            class: name("class"),
            code: name("code"),
            outcome: name("outcome"),
        }
    }
}
