//! [`Receipts`]: what a request has taken, so that it can be given back.

use super::engine::Claim;
use super::{Acquire, Budget, Limiter};
use crate::catalogue::Catalogue;
use crate::key::ToKey;

/// What was taken from one bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Receipt(Claim);

/// What was taken from several buckets.
#[derive(Debug, Default)]
pub(crate) struct Receipts {
    first: Option<Receipt>,
    more: Vec<Receipt>,
}

impl<C: Catalogue> Limiter<C> {
    /// One token of the bucket of `key` in a budget.
    pub(crate) fn receipt(&self, budget: Budget, key: &impl ToKey) -> Receipt {
        Receipt(self.engine.claim(budget.0, key, 1))
    }

    /// Gives back what was taken.
    pub(crate) fn refund(&self, receipts: Receipts) {
        for Receipt(claim) in receipts.first.into_iter().chain(receipts.more) {
            self.engine.refund(claim);
        }
    }
}

impl<C> Acquire<'_, C> {
    /// What this is going to take, if it is admitted.
    pub(crate) fn receipt(&self) -> Receipt {
        Receipt(self.claim)
    }
}

impl FromIterator<Receipt> for Receipts {
    fn from_iter<I: IntoIterator<Item = Receipt>>(receipts: I) -> Self {
        // One is the usual number, and then nothing is allocated.
        let mut receipts = receipts.into_iter();
        Self { first: receipts.next(), more: receipts.collect() }
    }
}
