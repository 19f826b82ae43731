//! [`Passage`]: what a layer learns of the gate that a request meets behind it.

use std::sync::{Arc, OnceLock};

use http::Extensions;

/// One request on its way inwards, shared by the layer that put it there and the gates behind it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passage(Arc<Marks>);

#[derive(Debug, Default)]
struct Marks {
    /// Whether a handler with a declaration was reached.
    declared: OnceLock<()>,
    /// Whether the request was refused there, so that it never reached what it was charged for.
    refused: OnceLock<()>,
}

impl Passage {
    /// The passage of a request, made now unless a layer further out has made it.
    pub(crate) fn enter(extensions: &mut Extensions) -> Self {
        extensions.get_or_insert_default::<Self>().clone()
    }

    /// Says that a handler with a declaration was reached.
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

    pub(crate) fn declared(&self) -> bool {
        self.0.declared.get().is_some()
    }

    pub(crate) fn refused(&self) -> bool {
        self.0.refused.get().is_some()
    }
}
