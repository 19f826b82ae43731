//! [`Routes`]: which routes declare a limit, as far as their answers have told.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use http::Method;

/// Which routes declare a limit.
///
/// A router does not say what stands behind its routes, so this is learned from the first request
/// to each. Routes are as many as the program has, and only the methods of RFC 9110 are kept, so
/// nobody outside can make this grow.
#[derive(Clone, Debug, Default)]
pub(super) struct Routes(Arc<RwLock<Known>>);

/// Templates, each with the methods that were asked for.
type Known = HashMap<Box<str>, Vec<(Method, Habit)>>;

/// What a route does about limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Habit {
    /// It was reached, and takes care of its own limit.
    Declares,
    /// It has answered, and nothing there had declared a limit.
    DeclaresNothing,
    /// It has not answered yet.
    Unknown,
}

impl Routes {
    /// What is known of a route; one without a template is never learned and counts as declaring
    /// nothing.
    pub(super) fn habit(&self, method: &Method, template: Option<&str>) -> Habit {
        let Some(template) = template.filter(|_| is_usual(method)) else {
            return Habit::DeclaresNothing;
        };
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let methods = known.get(template).map(Vec::as_slice).unwrap_or_default();
        let found = methods.iter().find(|(known, _)| known == method);
        found.map_or(Habit::Unknown, |(_, habit)| *habit)
    }

    /// Keeps what a request has shown. That a route declares is certain; that it does not may only
    /// mean that a layer before it has answered, so it is revised when it turns out otherwise.
    pub(super) fn learn(&self, method: &Method, template: Option<&str>, declares: bool) {
        let Some(template) = template.filter(|_| is_usual(method)) else { return };
        let habit = if declares { Habit::Declares } else { Habit::DeclaresNothing };
        let before = self.habit(method, Some(template));
        if before == habit || before == Habit::Declares {
            return;
        }
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let methods = known.entry(template.into()).or_default();
        match methods.iter_mut().find(|(known, _)| known == method) {
            Some((_, Habit::Declares)) => {}
            Some((_, kept)) => *kept = habit,
            None => methods.push((method.clone(), habit)),
        }
    }
}

fn is_usual(method: &Method) -> bool {
    let usual = [
        Method::CONNECT,
        Method::DELETE,
        Method::GET,
        Method::HEAD,
        Method::OPTIONS,
        Method::PATCH,
        Method::POST,
        Method::PUT,
        Method::TRACE,
    ];
    usual.contains(method)
}
