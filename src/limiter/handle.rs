//! [`ClassLimiter`]: one class of a limiter.

use std::fmt;

use super::{Acquire, Engine, policy_of};
use crate::catalogue::Catalogue;
use crate::decision::{AcquireError, Decision};
use crate::key::ToKey;
use crate::limits::Limits;

/// One class of a [`Limiter`](crate::Limiter), with the tokens that a request takes.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tollgate::{Class, Config, Limiter};
///
/// let limiter = Limiter::<Class>::new(&Config::default())?;
/// let exports = limiter.class(Class::Export).cost(2)?;
/// let decision = exports.peek("alice")?;
/// assert!(decision.permitted());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct ClassLimiter<'a, C> {
    engine: &'a Engine,
    class: C,
    cost: u64,
}

/// A cost that no request can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cost is {given}; it must be 1 to {}", Limits::MAX_TOKENS)]
pub struct InvalidCost {
    given: u64,
}

impl<'a, C: Catalogue> ClassLimiter<'a, C> {
    pub(super) fn new(engine: &'a Engine, class: C) -> Self {
        Self { engine, class, cost: 1 }
    }

    /// The same class with requests that take `cost` tokens.
    ///
    /// # Errors
    ///
    /// When `cost` is 0, or above what any bucket can hold. Whether it is above what this class holds is said by each
    /// acquire, because limits may change.
    pub fn cost(self, cost: u64) -> Result<Self, InvalidCost> {
        if cost == 0 || cost > Limits::MAX_TOKENS {
            return Err(InvalidCost { given: cost });
        }
        Ok(Self { cost, ..self })
    }

    /// Takes the tokens from the bucket of `key`; see [`Limiter::acquire`](crate::Limiter::acquire).
    ///
    /// # Errors
    ///
    /// Never for a quota; see [`AcquireError`].
    pub fn acquire(&self, key: impl ToKey) -> Acquire<'a, C> {
        self.into_acquire(&key)
    }

    /// How the bucket of `key` stands, as a request of this cost would find it; takes nothing.
    ///
    /// # Errors
    ///
    /// As [`acquire`](Self::acquire).
    pub fn peek(&self, key: impl ToKey) -> Result<Decision<C>, AcquireError> {
        let policy = policy_of(self.class);
        let verdict = self.engine.peek(policy, self.engine.hash(policy, &key), self.cost)?;
        Ok(Decision::new(self.class, verdict))
    }

    #[inline]
    pub(super) fn into_acquire(self, key: &impl ToKey) -> Acquire<'a, C> {
        let Self { engine, class, cost } = self;
        let policy = policy_of(class);
        Acquire { engine, class, policy, hash: engine.hash(policy, key), cost }
    }
}

impl<C: fmt::Debug> fmt::Debug for ClassLimiter<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut limiter = f.debug_struct("ClassLimiter");
        limiter.field("class", &self.class).field("cost", &self.cost).finish_non_exhaustive()
    }
}
