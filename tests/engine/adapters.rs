//! Observers for other libraries, each against that library's own recorder.

use std::cell::RefCell;
use std::fmt;
use std::sync::Once;

use tollgate::config::Saturation;
use tollgate::observe::TracingObserver;
use tollgate::{Class, Limiter};
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

use super::{limiter, ready, spend};

/// Admits and refuses, refuses in shadow, evicts and saturates, each a different number of times.
fn exercise(limiter: &Limiter) {
    spend(limiter, 1, "alice@example.org");
    for _ in 0..3 {
        let _ = ready(limiter.acquire(Class::Read, "alice@example.org"));
    }
    for _ in 0..3 {
        let _ = ready(limiter.acquire(Class::Write, "alice@example.org"));
    }
    for key in 0..5 {
        let _ = ready(limiter.acquire(Class::Export, key));
    }
    limiter.sweep();
}

/// One slot for all and one for exports; one token each.
fn exercised(observe: impl FnOnce(&Limiter)) {
    let (limiter, _clock) = limiter(|config| {
        config
            .max_tracked_keys(1)
            .class(Class::Read, |class| class.burst(1))
            .class(Class::Write, |class| class.burst(1).shadow(true))
            .class(Class::Export, |class| {
                class.burst(1).max_tracked_keys(1).saturation(Saturation::Closed)
            })
    });
    observe(&limiter);
    exercise(&limiter);
}

/// What both metrics libraries have to show, in their order. The write of rl.write evicts the bucket of rl.read.
#[cfg(any(feature = "metrics", feature = "opentelemetry"))]
const EXPECTED: &[&str] = &[
    "chat.ratelimit.decisions chat.ratelimit.class=rl.export chat.ratelimit.outcome=backend-failure-closed 4",
    "chat.ratelimit.decisions chat.ratelimit.class=rl.export chat.ratelimit.outcome=permitted 1",
    "chat.ratelimit.decisions chat.ratelimit.class=rl.read chat.ratelimit.outcome=permitted 1",
    "chat.ratelimit.decisions chat.ratelimit.class=rl.read chat.ratelimit.outcome=quota-exceeded 3",
    "chat.ratelimit.decisions chat.ratelimit.class=rl.write chat.ratelimit.outcome=permitted 1",
    "chat.ratelimit.decisions chat.ratelimit.class=rl.write chat.ratelimit.outcome=quota-exceeded 2",
    "chat.ratelimit.evictions chat.ratelimit.class=rl.write 1",
    "chat.ratelimit.failures chat.ratelimit.class=rl.export chat.ratelimit.code=capacity-exhausted 4",
    "chat.ratelimit.rejected chat.ratelimit.class=rl.export 4",
    "chat.ratelimit.rejected chat.ratelimit.class=rl.read 3",
    "chat.ratelimit.shadow_rejected chat.ratelimit.class=rl.write 2",
    "chat.ratelimit.tracked_keys 2",
];

#[cfg(feature = "metrics")]
#[test]
fn the_metrics_facade_gets_every_number() {
    use metrics_util::debugging::{DebugValue, DebuggingRecorder};
    use tollgate::observe::MetricsObserver;

    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    metrics::with_local_recorder(&recorder, || {
        exercised(|limiter| limiter.observe(MetricsObserver::new("chat")));
    });
    let shown = snapshotter.snapshot().into_vec().into_iter().map(|(key, _, _, value)| {
        let labels = key.key().labels().map(|l| format!(" {}={}", l.key(), l.value()));
        let value = match value {
            DebugValue::Counter(count) => count.to_string(),
            DebugValue::Gauge(gauge) => gauge.to_string(),
            DebugValue::Histogram(_) => "a histogram".to_owned(),
        };
        format!("{}{} {value}", key.key().name(), labels.collect::<String>())
    });
    let mut shown: Vec<_> = shown.collect();
    shown.sort();
    assert_eq!(shown, EXPECTED);
}

#[cfg(feature = "opentelemetry")]
#[test]
fn open_telemetry_gets_every_number() {
    use opentelemetry::metrics::MeterProvider;
    use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData};
    use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};
    use tollgate::observe::OpenTelemetryObserver;

    let exporter = InMemoryMetricExporter::default();
    let reader = PeriodicReader::builder(exporter.clone()).build();
    let provider = SdkMeterProvider::builder().with_reader(reader).build();
    let observer = OpenTelemetryObserver::new(&provider.meter("chat"), "chat");
    exercised(|limiter| limiter.observe(observer));
    provider.force_flush().unwrap();

    let mut shown = Vec::new();
    for resource in exporter.get_finished_metrics().unwrap() {
        for metric in resource
            .scope_metrics()
            .flat_map(opentelemetry_sdk::metrics::data::ScopeMetrics::metrics)
        {
            let mut show = |attributes: Vec<String>, value: u64| {
                let mut attributes = attributes;
                attributes.sort();
                shown.push(format!("{}{} {value}", metric.name(), attributes.concat()));
            };
            let written = |kv: &opentelemetry::KeyValue| format!(" {}={}", kv.key, kv.value);
            match metric.data() {
                AggregatedMetrics::U64(MetricData::Sum(sum)) => {
                    for point in sum.data_points() {
                        show(point.attributes().map(written).collect(), point.value());
                    }
                }
                AggregatedMetrics::U64(MetricData::Gauge(gauge)) => {
                    for point in gauge.data_points() {
                        show(point.attributes().map(written).collect(), point.value());
                    }
                }
                _ => panic!("{} is neither a sum nor a gauge", metric.name()),
            }
        }
    }
    shown.sort();
    assert_eq!(shown, EXPECTED);
}

#[test]
fn tracing_gets_every_decision_and_no_key() {
    let lines = logged(|| exercised(|limiter| limiter.observe(TracingObserver)));
    let decided: Vec<_> = lines.iter().filter(|line| line.contains("decided")).collect();
    assert_eq!(decided.len(), 4 + 3 + 5);
    assert_eq!(decided.iter().filter(|line| line.starts_with("DEBUG")).count(), 3 + 4);
    assert!(decided[1].contains("class=\"rl.read\" outcome=\"quota-exceeded\""), "{}", decided[1]);
    assert!(lines.iter().all(|line| !line.contains("alice")), "{lines:?}");
}

#[test]
fn the_first_exhausted_decision_of_an_episode_warns_once() {
    let (limiter, clock) = limiter(|config| {
        config.class(Class::Export, |class| class.max_tracked_keys(1).saturation(Saturation::Open))
    });
    let warnings = |keys: &[&str]| {
        let lines = logged(|| {
            for key in keys {
                let _ = ready(limiter.acquire(Class::Export, key));
            }
        });
        lines.into_iter().filter(|line| line.starts_with("WARN")).collect::<Vec<_>>()
    };
    assert!(warnings(&["a"]).is_empty());
    let first = warnings(&["b", "a", "b", "c"]);
    assert_eq!(first.len(), 1);
    assert!(first[0].contains("class=\"rl.export\""), "{first:?}");
    assert!(warnings(&["b", "a"]).is_empty());
    // Minutes later the first bucket is full and gives its slot away: the episode is over.
    clock.advance(std::time::Duration::from_secs(600));
    assert!(warnings(&["b"]).is_empty());
    assert_eq!(warnings(&["a", "c"]).len(), 1);
}

/// What is logged on this thread while `run` does.
fn logged(run: impl FnOnce()) -> Vec<String> {
    static LISTENING: Once = Once::new();
    // For the whole process: who listens on one thread only may be told of nothing when others meet an event first.
    LISTENING.call_once(|| {
        tracing::subscriber::set_global_default(Lines).expect("no other test listens everywhere");
    });
    LINES.set(Some(Vec::new()));
    run();
    LINES.take().unwrap_or_default()
}

thread_local! {
    static LINES: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Keeps what is logged on threads that want it.
struct Lines;

impl Subscriber for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn event(&self, event: &Event<'_>) {
        LINES.with_borrow_mut(|lines| {
            if let Some(lines) = lines {
                let mut line = Line(event.metadata().level().to_string());
                event.record(&mut line);
                lines.push(line.0);
            }
        });
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        use fmt::Write;
        write!(self.0, " {field}={value:?}").expect("writing into a string cannot fail");
    }
}
