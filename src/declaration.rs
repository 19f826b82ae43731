//! [`Declaration`]: what a handler says about its rate limit.

use std::panic::Location;

use crate::catalogue::{Catalogue, KeyKind, Operation};
use crate::limits::Limits;

/// What a handler declares about its rate limit, in the arguments of `#[rate_limited(..)]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Declaration<C: 'static> {
    /// A budget of its own: `per_minute = 30, burst = 10, key = KeyKind::ClientIp`.
    Budget(RouteBudget),
    /// The host's default budgets: `default`.
    Default,
    /// No limit at all, on purpose: `exempt = "why"`.
    Exempt {
        /// Why, in the words of the declaration.
        reason: &'static str,
    },
    /// A class of the catalogue, by itself or through an action.
    Limited {
        /// The class.
        class: C,
        /// The tokens that one call takes, at least 1.
        cost: u32,
        /// The action's id, when the handler declares an action.
        action: Option<&'static str>,
        /// Method and path, when the handler declares an action that has them.
        operation: Option<Operation>,
    },
}

/// The limits of one route that uses no class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct RouteBudget {
    /// The name in the response fields: the handler's, unless the declaration gives another.
    pub name: &'static str,
    /// How fast a bucket refills and how much it holds.
    pub limits: Limits,
    /// What a bucket is keyed by.
    pub key_kind: KeyKind,
    /// What tells budgets of one name apart; those that one call of a macro makes have one place.
    pub(crate) declared_at: &'static Location<'static>,
}

impl RouteBudget {
    /// A budget; every place in the source that makes one makes another.
    ///
    /// ```
    /// use tollgate::catalogue::KeyKind;
    /// use tollgate::{Limits, RouteBudget};
    ///
    /// let limits = Limits::per_minute(30, 10)?;
    /// let uploads = RouteBudget::new("uploads", limits, KeyKind::ClientIp);
    /// # Ok::<(), tollgate::limits::InvalidLimits>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn new(name: &'static str, limits: Limits, key_kind: KeyKind) -> Self {
        Self { name, limits, key_kind, declared_at: Location::caller() }
    }
}

impl<C: Catalogue> Declaration<C> {
    /// The declaration of a handler that names a class.
    pub(crate) const fn class(class: C) -> Self {
        Self::Limited { class, cost: 1, action: None, operation: None }
    }

    /// What the bucket is keyed by, when the declaration says it.
    #[cfg(any(feature = "actix", feature = "axum"))]
    pub(crate) fn key_kind(&self) -> Option<KeyKind> {
        match self {
            Self::Budget(budget) => Some(budget.key_kind),
            Self::Limited { class, .. } => Some(class.definition().key_kind),
            Self::Default | Self::Exempt { .. } => None,
        }
    }
}
