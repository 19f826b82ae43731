//! [`MetricsObserver`]: the numbers of a limiter for the `metrics` facade.

use std::sync::Arc;

use metrics::{Label, SharedString, counter, gauge, histogram};

use super::names::Names;
use super::{DecisionEvent, Observer, SweepEvent};
#[cfg(feature = "gate")]
use crate::http::Exceeded;

/// Counts for the recorder of the [`metrics`] facade, under a namespace of the user's.
///
/// | Metric | Labels | What it is |
/// |---|---|---|
/// | `<ns>.ratelimit.decisions` | `<ns>.ratelimit.class`, `<ns>.ratelimit.outcome` | counter of decisions |
/// | `<ns>.ratelimit.rejected` | `<ns>.ratelimit.class` | counter of refusals that bind |
/// | `<ns>.ratelimit.shadow_rejected` | `<ns>.ratelimit.class` | counter of refusals that do not bind, in shadow mode |
/// | `<ns>.ratelimit.failures` | `<ns>.ratelimit.class`, `<ns>.ratelimit.code` | counter of decisions that the store could not make |
/// | `<ns>.ratelimit.evictions` | `<ns>.ratelimit.class` | counter of new keys that made a bucket give way |
/// | `<ns>.ratelimit.tracked_keys` | | gauge of buckets that are not full, as of the last sweep |
/// | `<ns>.ratelimit.backend_latency` | `<ns>.ratelimit.class` | histogram of seconds, for a shared backend |
///
/// The class is that of the catalogue, or the name of the budget or policy: a closed set.
///
/// ```
/// use tollgate::observe::MetricsObserver;
/// use tollgate::{Class, Config, Limiter};
///
/// let limiter = Limiter::<Class>::new(&Config::default())?;
/// limiter.observe(MetricsObserver::new("chat"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MetricsObserver {
    names: Names,
}

impl MetricsObserver {
    /// Counts under `namespace`.
    #[must_use]
    pub fn new(namespace: &str) -> Self {
        Self { names: Names::new(namespace) }
    }

    /// Counts a request that a gate refused, as `<ns>.rate_limit.exceeded_total` with the labels `plugin`, `route` and
    /// `key_kind`: for [`GateBuilder::on_exceeded`](crate::http::GateBuilder).
    #[cfg(feature = "gate")]
    pub fn exceeded(&self, event: &Exceeded<'_>) {
        let labels = vec![
            Label::new("plugin", event.plugin.to_owned()),
            Label::new("route", event.route.to_owned()),
            Label::new("key_kind", event.key_kind),
        ];
        counter!(shared(&self.names.exceeded), labels).increment(1);
    }
}

impl Observer for MetricsObserver {
    fn decided(&self, event: &DecisionEvent<'_>) {
        let names = &self.names;
        let class = || Label::new(shared(&names.class), event.class.to_owned());
        let count = |name: &Arc<str>, labels| counter!(shared(name), labels).increment(1);

        let outcome = Label::new(shared(&names.outcome), event.outcome.as_str());
        count(&names.decisions, vec![class(), outcome]);
        if !event.permitted() {
            count(&names.rejected, vec![class()]);
        } else if !event.outcome.admits() {
            count(&names.shadow_rejected, vec![class()]);
        }
        if let Some(code) = event.failure {
            let code = Label::new(shared(&names.code), code.as_str());
            count(&names.failures, vec![class(), code]);
        }
        if event.evicted {
            count(&names.evictions, vec![class()]);
        }
        if let Some(latency) = event.backend_latency {
            histogram!(shared(&names.backend_latency), vec![class()]).record(latency);
        }
    }

    fn swept(&self, event: &SweepEvent) {
        #[expect(clippy::cast_precision_loss, reason = "a gauge is a float")]
        gauge!(shared(&self.names.tracked_keys)).set(event.tracked as f64);
    }
}

fn shared(name: &Arc<str>) -> SharedString {
    SharedString::from_shared(Arc::clone(name))
}
