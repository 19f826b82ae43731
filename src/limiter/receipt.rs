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
pub(crate) enum Receipts {
    #[default]
    None,
    /// The usual number, for which nothing is allocated.
    One(Receipt),
    Several(Vec<Receipt>),
}

impl<C: Catalogue> Limiter<C> {
    /// One token of the bucket of `key` in a budget.
    pub(crate) fn receipt(&self, budget: Budget, key: &impl ToKey) -> Receipt {
        Receipt(self.engine.claim(budget.0, key, 1))
    }

    /// Asks again for what a receipt is about, because it has to be waited for.
    pub(crate) fn acquire_again(&self, class: C, receipt: Receipt) -> Acquire<'_, C> {
        Acquire::new(&self.engine, class, receipt.0)
    }

    /// Gives back what was taken.
    pub(crate) fn refund(&self, receipts: Receipts) {
        match receipts {
            Receipts::None => {}
            Receipts::One(Receipt(claim)) => self.engine.refund(claim),
            Receipts::Several(receipts) => {
                for Receipt(claim) in receipts {
                    self.engine.refund(claim);
                }
            }
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
        let mut receipts = receipts.into_iter();
        let Some(first) = receipts.next() else { return Self::None };
        match receipts.next() {
            None => Self::One(first),
            Some(second) => Self::Several([first, second].into_iter().chain(receipts).collect()),
        }
    }
}
