//! [`TracingObserver`]: decisions as events of `tracing`.

use super::{DecisionEvent, Observer};

/// Logs decisions as [`tracing`] events with the target `tollgate::decision`: refusals that bind at DEBUG, everything
/// else at TRACE. An event names the class, never the key.
///
/// ```
/// use tollgate::observe::TracingObserver;
/// use tollgate::{Class, Config, Limiter};
///
/// let limiter = Limiter::<Class>::new(&Config::default())?;
/// limiter.observe(TracingObserver);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TracingObserver;

impl Observer for TracingObserver {
    fn decided(&self, event: &DecisionEvent<'_>) {
        macro_rules! log {
            ($level:ident) => {
                ::tracing::event!(
                    target: "tollgate::decision",
                    ::tracing::Level::$level,
                    class = event.class,
                    tier = event.tier,
                    revision = event.revision,
                    outcome = event.outcome.as_str(),
                    enforced = event.enforced,
                    cost = event.cost,
                    capacity = event.capacity,
                    remaining = event.remaining,
                    retry_after = event.retry_after.map(|wait| wait.as_secs_f64()),
                    failure = event.failure.map(crate::decision::FailureCode::as_str),
                    evicted = event.evicted,
                    "decided"
                )
            };
        }
        if event.permitted() { log!(TRACE) } else { log!(DEBUG) }
    }
}
