//! [`Passage`]: what a layer learns of the gate that a request meets behind it.

use std::sync::{Arc, OnceLock};

use http::Extensions;

/// One request on its way inwards, shared by the layer that put it there and the gates behind it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passage(Arc<Marks>);

#[derive(Debug, Default)]
struct Marks {
    /// Whether a handler with a limit of its own, or with none on purpose, was reached.
    declared: OnceLock<()>,
    /// The gate that has taken from its default budgets already.
    defaults: OnceLock<GateId>,
    /// Whether the request was refused, so that it never reached what it was charged for.
    refused: OnceLock<()>,
}

/// What tells gates apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GateId(pub(super) usize);

impl Passage {
    /// The passage of a request, made now unless a layer further out has made it.
    pub(crate) fn enter(extensions: &mut Extensions) -> Self {
        extensions.get_or_insert_default::<Self>().clone()
    }

    /// Says that a handler with a declaration was reached.
    #[inline]
    pub(crate) fn declare(extensions: &Extensions) {
        if let Some(Self(marks)) = extensions.get() {
            let _ = marks.declared.set(());
        }
    }

    /// Says that the request was refused.
    pub(crate) fn refuse(extensions: &Extensions) {
        if let Some(Self(marks)) = extensions.get() {
            let _ = marks.refused.set(());
        }
    }

    /// Says that the request was charged by the default budgets of a gate.
    pub(super) fn charge_defaults(extensions: &Extensions, gate: GateId) {
        if let Some(Self(marks)) = extensions.get() {
            let _ = marks.defaults.set(gate);
        }
    }

    /// Whether the default budgets of this gate were charged already.
    pub(super) fn has_charged_defaults(extensions: &Extensions, gate: GateId) -> bool {
        extensions.get().is_some_and(|Self(marks)| marks.defaults.get() == Some(&gate))
    }

    /// Whether a handler with a limit of its own, or with none on purpose, was reached.
    pub(crate) fn declared(&self) -> bool {
        self.0.declared.get().is_some()
    }

    /// Whether the request was refused further in.
    pub(crate) fn refused(&self) -> bool {
        self.0.refused.get().is_some()
    }
}
