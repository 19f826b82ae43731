//! Support for generated and expanded code; no part of the public interface.

#[cfg(feature = "axum")]
pub use crate::axum::__private as axum;
pub use crate::catalogue::Catalogue;
use crate::catalogue::{ActionDefinition, KeyKind};
pub use crate::declaration::{Declaration, RouteBudget};
pub use crate::generated::*;
pub use crate::guard::{Entered, cost, enter, guard};
use crate::limits::{InvalidLimits, Limits};

/// The limits of a catalogue row; the generator has checked the ranges.
#[must_use]
pub const fn limits(per_minute: u32, burst: u32) -> Limits {
    match Limits::per_minute(per_minute, burst) {
        Ok(limits) => limits,
        Err(_) => panic!("the catalogue's limits are checked when it is generated"),
    }
}

/// The catalogue that a generated enum is part of: implemented for its classes and its actions, so
/// that an attribute learns the type of the class from either.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has neither the classes nor the actions of a catalogue",
    label = "not a generated `Class` or `Action`",
    note = "name a variant of the enums that the build generated, as in `Class::Read`"
)]
pub trait InCatalogue {
    /// The classes of the catalogue.
    type Class: Catalogue;

    /// The class that this name stands for, and the tokens that one call takes.
    fn class_and_cost(self) -> (Self::Class, u32);
}

/// The declaration of a handler that names a class.
#[must_use]
pub const fn class_declaration<C: Catalogue>(class: C) -> Declaration<C> {
    Declaration::class(class)
}

/// The declaration of a handler that names an action.
#[must_use]
pub const fn action_declaration<C: Catalogue>(action: &ActionDefinition<C>) -> Declaration<C> {
    Declaration::Limited {
        class: action.class,
        cost: action.cost,
        action: Some(action.id),
        operation: action.operation,
    }
}

/// The same declaration with another cost in tokens.
///
/// # Panics
///
/// As [`cost`]; in a declaration that is a compile error.
#[must_use]
#[track_caller]
pub const fn with_cost<C: Catalogue>(
    declaration: Declaration<C>,
    cost: u32,
    burst: u64,
) -> Declaration<C> {
    let cost = crate::guard::cost(cost, burst);
    match declaration {
        Declaration::Limited { class, action, operation, .. } => {
            Declaration::Limited { class, cost, action, operation }
        }
        other => other,
    }
}

/// The budget of a route that uses no class.
///
/// # Panics
///
/// When the limits are out of range; in a declaration that is a compile error.
#[must_use]
#[track_caller]
pub const fn route_budget(
    name: &'static str,
    per_minute: u32,
    burst: u32,
    key_kind: KeyKind,
) -> RouteBudget {
    match Limits::per_minute(per_minute, burst) {
        Ok(limits) => RouteBudget::new(name, limits, key_kind),
        Err(InvalidLimits::PerMinute { .. }) => panic!("`per_minute` is 1 to 600000000"),
        Err(_) => panic!("`burst` is at least 1"),
    }
}

/// What generated code names of the crate, under a path that can be imported by another name; `$crate`
/// alone cannot, as far as the oldest supported compiler is concerned.
pub mod root {
    pub use crate::{__private, Declaration, Limits, catalogue};
}
