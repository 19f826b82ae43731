//! [`Ruling`]: what one limit says of a request.

use std::time::Duration;

use super::fields::Member;
use crate::decision::{Outcome, Verdict};
use crate::limits::Limits;

/// What one limit says of a request: a class, or a budget that has none.
#[derive(Clone, Copy, Debug)]
pub struct Ruling<'a, C> {
    pub(super) name: &'a str,
    pub(super) class: Option<C>,
    pub(super) key_kind: &'static str,
    pub(super) verdict: &'a Verdict,
}

impl<'a, C: Copy> Ruling<'a, C> {
    /// The name of the class or budget.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The class, unless the limit is a budget.
    #[must_use]
    pub fn class(&self) -> Option<C> {
        self.class
    }

    /// What the bucket was keyed by, as one of a closed set of words in snake case. An anonymous
    /// caller of a class by principal is a `client_ip`.
    #[must_use]
    pub fn key_kind(&self) -> &'static str {
        self.key_kind
    }

    /// What was decided.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.verdict.outcome
    }

    /// Whether the limit lets the request pass.
    #[must_use]
    pub fn permitted(&self) -> bool {
        self.verdict.permitted()
    }

    /// The limits that were decided by.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.verdict.limits()
    }

    /// The tokens that were asked for.
    #[must_use]
    pub fn cost(&self) -> u64 {
        self.verdict.cost
    }

    /// The whole tokens that are left; nothing when the decision has no numbers.
    #[must_use]
    pub fn remaining(&self) -> Option<u64> {
        self.verdict.remaining()
    }

    /// The time after which the same request would pass; only when the quota is used up.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.verdict.retry_after()
    }

    /// The time after which the bucket is full; nothing when the decision has no numbers.
    #[must_use]
    pub fn reset_after(&self) -> Option<Duration> {
        self.verdict.reset_after()
    }

    /// Whether tokens were taken.
    pub(super) fn took(&self) -> bool {
        self.outcome() == Outcome::Permitted
    }

    /// The member of the response fields; a limit that does not bind has none.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "what it returns would be copied on its way")]
    pub(super) fn member(&self) -> Option<Member<'a>> {
        if !self.verdict.enforced {
            return None;
        }
        let remaining = self.verdict.remaining()?;
        let next_token =
            if remaining > 0 { Some(Duration::ZERO) } else { self.verdict.next_token_after() };
        Some(Member {
            name: self.name,
            limits: self.verdict.limits(),
            remaining,
            time_to_full: self.verdict.reset_after()?,
            next_token: next_token?,
            retry_after: self.verdict.retry_after(),
        })
    }
}
