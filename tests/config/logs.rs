//! What is logged: the names of unknown variables, and never a value.

use std::fmt::{self, Write as _};
use std::sync::mpsc::{Sender, channel};

use tollgate::{Class, Config};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber, span};

/// Sends on what is logged.
struct Log(Sender<(Level, String)>);

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        self.0.send((*event.metadata().level(), text.0)).expect("the test reads what is logged");
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, _: &Field, value: &dyn fmt::Debug) {
        write!(self.0, "{value:?}").expect("a text takes everything");
    }
}

#[test]
fn an_unknown_variable_is_logged_by_its_name_alone() {
    let (sender, logged) = channel();
    tracing::subscriber::with_default(Log(sender), || {
        let variables = [
            ("RATELIMIT_KEY_SECRETS", "hunter2"),
            ("RATELIMIT_A\nB", "hunter2"),
            ("RATELIMIT_ENABLED", "true"),
            ("HOME", "hunter2"),
        ];
        Config::<Class>::builder().environment(variables).build().expect("warnings are no faults")
    });
    let warning = |text: &str| (Level::WARN, format!("environment variable {text}"));
    assert_eq!(
        logged.into_iter().collect::<Vec<_>>(),
        [
            warning("RATELIMIT_KEY_SECRETS sets nothing; did you mean RATELIMIT_KEY_SECRET?"),
            warning("RATELIMIT_A\\nB sets nothing"),
        ]
    );
}
