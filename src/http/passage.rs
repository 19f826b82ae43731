//! [`Passage`]: what a layer learns of the gate that a request meets behind it.

use std::sync::{Arc, OnceLock};

use http::Extensions;

/// One request on its way inwards, shared by the layer that put it there and the gates behind it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passage(Arc<Marks>);

#[derive(Debug, Default)]
struct Marks {
    /// The template of the route whose handler, with a declaration, was reached.
    declared: OnceLock<Option<Box<str>>>,
    /// Whether the request was refused there, so that it never reached what it was charged for.
    refused: OnceLock<()>,
}

impl Passage {
    /// The passage of a request, made now unless a layer further out has made it.
    pub(crate) fn enter(extensions: &mut Extensions) -> Self {
        extensions.get_or_insert_default::<Self>().clone()
    }

    /// Says that a handler with a declaration was reached, at a route of this template.
    pub(crate) fn declare(extensions: &Extensions, template: Option<&str>) {
        if let Some(Self(marks)) = extensions.get() {
            let _ = marks.declared.set(template.map(Box::from));
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

    /// Whether the declaration is of this route itself; behind one that is a router of its own, other
    /// paths may declare nothing.
    pub(crate) fn declared_at(&self, template: Option<&str>) -> bool {
        self.0.declared.get().is_some_and(|declared| declared.as_deref() == template)
    }

    pub(crate) fn refused(&self) -> bool {
        self.0.refused.get().is_some()
    }
}
