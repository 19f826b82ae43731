//! [`OpenTelemetryObserver`]: the numbers of a limiter for OpenTelemetry.

use std::fmt;
use std::sync::Arc;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Gauge, Histogram, Meter};

use super::names::Names;
use super::{DecisionEvent, Observer, SweepEvent};
#[cfg(feature = "gate")]
use crate::http::Exceeded;

/// Counts with the instruments of an OpenTelemetry [`Meter`], under a namespace of the user's.
///
/// | Instrument | Attributes | What it is |
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
/// use tollgate::observe::OpenTelemetryObserver;
/// use tollgate::{Class, Config, Limiter};
///
/// let limiter = Limiter::<Class>::new(&Config::default())?;
/// let meter = opentelemetry::global::meter("chat");
/// limiter.observe(OpenTelemetryObserver::new(&meter, "chat"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct OpenTelemetryObserver {
    names: Names,
    backend_latency: Histogram<f64>,
    decisions: Counter<u64>,
    evictions: Counter<u64>,
    #[cfg(feature = "gate")]
    exceeded: Counter<u64>,
    failures: Counter<u64>,
    rejected: Counter<u64>,
    shadow_rejected: Counter<u64>,
    tracked_keys: Gauge<u64>,
}

impl OpenTelemetryObserver {
    /// Makes the instruments of `meter` under `namespace`.
    #[must_use]
    pub fn new(meter: &Meter, namespace: &str) -> Self {
        let names = Names::new(namespace);
        let counter = |name: &Arc<str>| meter.u64_counter(name.to_string()).build();
        Self {
            backend_latency: meter
                .f64_histogram(names.backend_latency.to_string())
                .with_unit("s")
                .build(),
            decisions: counter(&names.decisions),
            evictions: counter(&names.evictions),
            #[cfg(feature = "gate")]
            exceeded: counter(&names.exceeded),
            failures: counter(&names.failures),
            rejected: counter(&names.rejected),
            shadow_rejected: counter(&names.shadow_rejected),
            tracked_keys: meter.u64_gauge(names.tracked_keys.to_string()).build(),
            names,
        }
    }

    /// Counts a request that a gate refused, as `<ns>.rate_limit.exceeded_total` with the attributes `plugin`, `route` and
    /// `key_kind`: for [`GateBuilder::on_exceeded`](crate::http::GateBuilder).
    #[cfg(feature = "gate")]
    pub fn exceeded(&self, event: &Exceeded<'_>) {
        let attributes = [
            KeyValue::new("plugin", event.plugin.to_owned()),
            KeyValue::new("route", event.route.to_owned()),
            KeyValue::new("key_kind", event.key_kind),
        ];
        self.exceeded.add(1, &attributes);
    }
}

impl Observer for OpenTelemetryObserver {
    fn decided(&self, event: &DecisionEvent<'_>) {
        let attribute =
            |name: &Arc<str>, value: &str| KeyValue::new(Arc::clone(name), value.to_owned());
        let class = attribute(&self.names.class, event.class);
        let outcome = attribute(&self.names.outcome, event.outcome.as_str());
        self.decisions.add(1, &[class.clone(), outcome]);
        if !event.permitted() {
            self.rejected.add(1, std::slice::from_ref(&class));
        } else if !event.outcome.admits() {
            self.shadow_rejected.add(1, std::slice::from_ref(&class));
        }
        if event.evicted {
            self.evictions.add(1, std::slice::from_ref(&class));
        }
        if let Some(latency) = event.backend_latency {
            self.backend_latency.record(latency.as_secs_f64(), std::slice::from_ref(&class));
        }
        if let Some(code) = event.failure {
            self.failures.add(1, &[class, attribute(&self.names.code, code.as_str())]);
        }
    }

    fn swept(&self, event: &SweepEvent) {
        self.tracked_keys.record(event.tracked, &[]);
    }
}

impl fmt::Debug for OpenTelemetryObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenTelemetryObserver").field("names", &self.names).finish_non_exhaustive()
    }
}
