//! What the limiter did, as a page for Prometheus.
//!
//! Every label is a class of the catalogue or a word of the library, so the page holds no key, no
//! address and no identity, and does not grow with the number of callers.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use axum::extract::State;
use tollgate::decision::{FailureCode, Outcome};
use tollgate::http::Exceeded;
use tollgate::observe::{DecisionEvent, Observer};
use tollgate::{Class, Limiter, rate_limited};

/// Counters of this process.
#[derive(Debug)]
pub(super) struct Metrics {
    authentications: Counter,
    backend_calls: Counter,
    backend_micros: Counter,
    /// By the labels of the sample: which route was refused to whom, and by which gate.
    exceeded: RwLock<BTreeMap<String, u64>>,
    /// By class, and under `budget` for limits that are no classes.
    limits: BTreeMap<&'static str, Counters>,
}

/// The counters of one class.
#[derive(Debug, Default)]
struct Counters {
    backend_failed: Counter,
    capacity_exhausted: Counter,
    disabled: Counter,
    failed_closed: Counter,
    failed_open: Counter,
    permitted: Counter,
    rejected: Counter,
    rejected_in_shadow: Counter,
}

#[derive(Debug, Default)]
struct Counter(AtomicU64);

impl Metrics {
    /// The authenticator was asked.
    pub(super) fn count_authentication(&self) {
        self.authentications.add(1);
    }

    /// A request was refused; this happens seldom enough for a lock.
    pub(super) fn count_exceeded(&self, event: &Exceeded<'_>) {
        let Exceeded { plugin, route, key_kind, .. } = event;
        let labels = format!(r#"plugin="{plugin}",route="{route}",key_kind="{key_kind}""#);
        let mut exceeded = self.exceeded.write().unwrap_or_else(PoisonError::into_inner);
        *exceeded.entry(labels).or_default() += 1;
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let names = Class::ALL.iter().map(|class| class.name()).chain(["budget"]);
        Self {
            authentications: Counter::default(),
            backend_calls: Counter::default(),
            backend_micros: Counter::default(),
            exceeded: RwLock::default(),
            limits: names.map(|name| (name, Counters::default())).collect(),
        }
    }
}

impl Observer for Metrics {
    fn decided(&self, event: &DecisionEvent<'_>) {
        let counters = self.limits.get(event.class).or_else(|| self.limits.get("budget"));
        if let Some(counters) = counters {
            counters.count(event);
        }
        if let Some(latency) = event.backend_latency {
            self.backend_calls.add(1);
            self.backend_micros.add(u64::try_from(latency.as_micros()).unwrap_or(u64::MAX));
        }
    }
}

impl Counters {
    fn count(&self, event: &DecisionEvent<'_>) {
        match event.outcome {
            Outcome::Disabled => self.disabled.add(1),
            Outcome::Permitted => self.permitted.add(1),
            Outcome::QuotaExceeded if event.enforced => self.rejected.add(1),
            Outcome::QuotaExceeded => self.rejected_in_shadow.add(1),
            Outcome::BackendFailureOpen => self.failed_open.add(1),
            _ => self.failed_closed.add(1),
        }
        match event.failure {
            None => {}
            Some(FailureCode::CapacityExhausted) => self.capacity_exhausted.add(1),
            Some(_) => self.backend_failed.add(1),
        }
    }
}

impl Counter {
    fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }
}

impl Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.load(Ordering::Relaxed).fmt(f)
    }
}

/// The page.
#[rate_limited(exempt = "the monitoring asks at its own pace")]
pub(super) async fn show(
    State(metrics): State<Arc<Metrics>>,
    State(limiter): State<Limiter>,
) -> String {
    let mut page = String::new();
    metrics.write(&limiter, &mut page).expect("writing into a string cannot fail");
    page
}

impl Metrics {
    fn write(&self, limiter: &Limiter, page: &mut String) -> fmt::Result {
        self.family(page, "decisions_total", |counters| {
            vec![
                (r#",outcome="backend_failure_closed""#, &counters.failed_closed),
                (r#",outcome="backend_failure_open""#, &counters.failed_open),
                (r#",outcome="disabled""#, &counters.disabled),
                (r#",outcome="permitted""#, &counters.permitted),
                (r#",outcome="quota_exceeded""#, &counters.rejected),
            ]
        })?;
        self.family(page, "rejected_total", |counters| vec![("", &counters.rejected)])?;
        self.family(page, "shadow_rejected_total", |counters| {
            vec![("", &counters.rejected_in_shadow)]
        })?;
        self.family(page, "failures_total", |counters| {
            vec![
                (r#",code="backend""#, &counters.backend_failed),
                (r#",code="capacity_exhausted""#, &counters.capacity_exhausted),
            ]
        })?;
        writeln!(page, "# TYPE chat_rate_limit_exceeded_total counter")?;
        for (labels, count) in &*self.exceeded.read().unwrap_or_else(PoisonError::into_inner) {
            writeln!(page, "chat_rate_limit_exceeded_total{{{labels}}} {count}")?;
        }
        let (evictions, tracked) = (limiter.evictions(), limiter.tracked_keys());
        let Self { authentications, backend_calls, backend_micros, .. } = self;
        writeln!(
            page,
            "# TYPE chat_ratelimit_evictions_total counter
chat_ratelimit_evictions_total {evictions}
# TYPE chat_ratelimit_tracked_keys gauge
chat_ratelimit_tracked_keys {tracked}
# TYPE chat_ratelimit_backend_latency_microseconds summary
chat_ratelimit_backend_latency_microseconds_sum {backend_micros}
chat_ratelimit_backend_latency_microseconds_count {backend_calls}
# TYPE chat_authentications_total counter
chat_authentications_total {authentications}"
        )
    }

    /// One counter for every class, with whatever labels it has beside.
    fn family(
        &self,
        page: &mut String,
        name: &str,
        samples: fn(&Counters) -> Vec<(&'static str, &Counter)>,
    ) -> fmt::Result {
        writeln!(page, "# TYPE chat_ratelimit_{name} counter")?;
        for (class, counters) in &self.limits {
            for (labels, count) in samples(counters) {
                writeln!(page, r#"chat_ratelimit_{name}{{class="{class}"{labels}}} {count}"#)?;
            }
        }
        Ok(())
    }
}
