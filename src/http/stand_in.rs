//! What the gate needs of the limiter, until the limiter stands. It counts, and never refills.

#![allow(
    missing_docs,
    clippy::must_use_candidate,
    clippy::missing_errors_doc,
    clippy::pedantic,
    reason = "stands in until the limiter is there"
)]

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::time::Duration;

use crate::caller::Subject;
use crate::catalogue::Catalogue;
use crate::config::Config;
use crate::limits::Limits;

#[derive(Clone, Debug)]
pub struct Limiter<C: Catalogue> {
    spent: Arc<std::sync::Mutex<HashMap<u64, u64>>>,
    hash: RandomState,
    limits: Vec<Limits>,
    catalogue: std::marker::PhantomData<C>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    BackendFailureClosed,
    Permitted,
    QuotaExceeded,
}

#[derive(Clone, Copy, Debug)]
pub struct Decision<C> {
    class: C,
    cost: u64,
    limits: Limits,
    permitted: bool,
    spent: u64,
}

impl<C: Catalogue> Limiter<C> {
    pub fn new(config: &Config<C>) -> Result<Self, std::convert::Infallible> {
        Ok(Self {
            spent: Arc::default(),
            hash: RandomState::new(),
            limits: config.classes.iter().map(|class| class.limits).collect(),
            catalogue: std::marker::PhantomData,
        })
    }

    #[expect(clippy::unused_async, reason = "the real one asks a store")]
    pub(super) async fn acquire(
        &self,
        class: C,
        cost: u32,
        subject: &Subject<'_>,
    ) -> Result<Decision<C>, ()> {
        let limits = self.limits.get(class.index()).copied().ok_or(())?;
        let cost = u64::from(cost);
        if cost > limits.capacity() {
            return Err(());
        }
        let mut spent = self.spent.lock().map_err(|_| ())?;
        let spent = spent.entry(self.hash.hash_one((class, subject))).or_default();
        let permitted = *spent + cost <= limits.capacity();
        if permitted {
            *spent += cost;
        }
        Ok(Decision { class, cost, limits, permitted, spent: *spent })
    }
}

impl<C: Catalogue> Decision<C> {
    pub fn class(&self) -> C {
        self.class
    }
    pub fn permitted(&self) -> bool {
        self.permitted
    }
    pub fn enforced(&self) -> bool {
        self.limits.capacity() > 0
    }
    pub fn outcome(&self) -> Outcome {
        if self.permitted { Outcome::Permitted } else { Outcome::QuotaExceeded }
    }
    pub fn limits(&self) -> Limits {
        self.limits
    }
    pub fn remaining(&self) -> Option<u64> {
        self.limits.capacity().checked_sub(self.spent)
    }
    pub fn retry_after(&self) -> Option<Duration> {
        let missing = (self.spent + self.cost).saturating_sub(self.limits.capacity());
        (!self.permitted).then(|| self.time(missing))
    }
    pub fn reset_after(&self) -> Option<Duration> {
        Some(self.time(self.spent))
    }
    pub fn next_token_after(&self) -> Option<Duration> {
        Some(self.time((self.spent + 1).saturating_sub(self.limits.capacity())))
    }
    fn time(&self, tokens: u64) -> Duration {
        let micros = u128::from(tokens) * self.limits.period().as_micros();
        let micros = micros.div_ceil(u128::from(self.limits.tokens()));
        Duration::from_micros(micros.try_into().unwrap_or(u64::MAX))
    }
}
