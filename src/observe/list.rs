//! [`Observers`]: those who are told.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{DecisionEvent, Observer, SweepEvent};
use crate::list::List;

/// Everybody who is told, and nobody's panic.
pub(crate) struct Observers(List<Box<dyn Observer>>);

impl Observers {
    pub(crate) const fn new() -> Self {
        Self(List::new())
    }

    pub(crate) fn add(&self, observer: Box<dyn Observer>) {
        self.0.push(observer);
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn decided(&self, event: &DecisionEvent<'_>) {
        self.each(|observer| observer.decided(event));
    }

    pub(crate) fn swept(&self, event: &SweepEvent) {
        self.each(|observer| observer.swept(event));
    }

    fn each(&self, tell: impl Fn(&dyn Observer)) {
        for observer in self.0.iter() {
            // The panic hook has printed it; nobody else has to know.
            let _ = catch_unwind(AssertUnwindSafe(|| tell(&**observer)));
        }
    }
}
