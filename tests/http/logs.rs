//! What is logged, and what never is.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use tollgate::Caller;
use tollgate::http::RequestView;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::support::{EXPORT, by, gate, request};

/// Keeps every event as a line, level first.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Subscriber for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().expect("no test panics while it logs").push(line.0);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {field}={value:?}").expect("a string takes everything");
    }
}

impl Lines {
    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().expect("no test panics while it logs"))
    }
}

#[tokio::test]
async fn a_missing_peer_is_one_error_that_names_the_set_up() {
    let lines = Lines::default();
    let _logged = tracing::subscriber::set_default(lines.clone());
    let gate = gate();
    let parts = request();
    for _ in 0..5 {
        let _ = gate.check(&EXPORT, &RequestView::new(&parts)).await;
    }
    let lines = lines.taken();
    let [line] = lines.as_slice() else { panic!("not one line: {lines:?}") };
    assert!(line.starts_with("ERROR"), "{line}");
    assert!(line.contains("into_make_service_with_connect_info"), "{line}");
    assert!(line.contains("GateBuilder::peer_address"), "{line}");
}

#[tokio::test]
async fn a_cost_above_the_burst_is_an_error_that_names_the_class_and_nobody() {
    let lines = Lines::default();
    let _logged = tracing::subscriber::set_default(lines.clone());
    let too_much = tollgate::Declaration::Limited {
        class: tollgate::Class::Export,
        cost: 3,
        action: None,
        operation: None,
    };
    let mut parts = by(Caller::principal("alice-secret"));
    parts.headers.insert("authorization", "Bearer alice-secret".parse().unwrap());
    parts.headers.insert("x-request-id", "alice-secret".parse().unwrap());
    let view = RequestView::new(&parts).peer("192.0.2.77".parse().ok()).route(Some("/v1/exports"));
    let _ = gate().check(&too_much, &view).await;
    let lines = lines.taken();
    let [line] = lines.as_slice() else { panic!("not one line: {lines:?}") };
    assert!(line.starts_with("ERROR"), "{line}");
    assert!(line.contains("rl.export") && line.contains("/v1/exports"), "{line}");
    for secret in ["alice-secret", "192.0.2.77"] {
        assert!(!line.contains(secret), "{line}");
    }
}

#[tokio::test]
async fn admissions_and_refusals_log_nothing() {
    let lines = Lines::default();
    let _logged = tracing::subscriber::set_default(lines.clone());
    let gate = gate();
    let parts = by(Caller::principal("alice"));
    for _ in 0..5 {
        let _ = gate.check(&EXPORT, &RequestView::new(&parts)).await;
    }
    assert_eq!(lines.taken(), Vec::<String>::new());
}
