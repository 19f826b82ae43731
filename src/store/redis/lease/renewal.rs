//! [`Renewal`]: one after another, the leases that are wanted of a key.

use std::sync::Arc;
use std::time::Duration;

use super::cell::{Held, Wanted};
use super::micros;
use crate::bucket::Level;
use crate::clock::Clock;
use crate::config::Lease;
use crate::store::redis::backend::{Ended, Reply};
use crate::store::redis::{Asked, Failure, KeyId, Store, signed};

/// Takes leases of a key, one after another, for as long as any is wanted. It is counted in the cell, and runs on a task of its
/// own: when a request is cancelled, the lease is there for the next.
pub(super) struct Renewal {
    store: Arc<Store>,
    clock: Arc<dyn Clock>,
    key: KeyId,
    lease: Lease,
    /// Whether nothing more was wanted in the end.
    done: bool,
}

impl Renewal {
    pub(super) fn new(store: Arc<Store>, clock: Arc<dyn Clock>, key: KeyId, lease: Lease) -> Self {
        Self { store, clock, key, lease, done: false }
    }

    pub(super) async fn run(mut self) {
        let store = Arc::clone(&self.store);
        // Nobody takes a lease once all are given back.
        let Ok(closed) = store.leases.closed.try_read() else { return };
        if *closed {
            return;
        }
        loop {
            let from = self.clock.now();
            let Some(wanted) = self.next(from) else { return };
            let asked = Asked {
                least: signed(wanted.least),
                most: signed(wanted.most),
                // Twice its time: it takes in leases for one, and the last of them may run for another.
                hold: self.lease.ttl * 2,
                ends: wanted.ended,
            };
            let epoch = store.refusals.epoch();
            let deadline = store.backend.deadline();
            let answer = store.call(&self.key, wanted.limits, asked, deadline, &*self.clock).await;
            self.settle(wanted, from, epoch, answer);
        }
    }

    /// What to ask for; nothing when nobody needs more, and then this is over.
    fn next(&mut self, now: u64) -> Option<Wanted> {
        let (over, wanted, renews) = {
            let mut cells = self.store.leases.cells(&self.key).lock();
            let cell = cells.entry(self.key).or_default();
            let over = cell.over(now);
            cell.renewing = cell.renewing.saturating_sub(1);
            let wanted = cell.wanted(self.lease.tokens, now);
            cell.renewing += u64::from(wanted.is_some());
            self.done = wanted.is_none();
            let tokens = |wanted: Wanted| self.lease.tokens.min(wanted.limits.capacity());
            let renews =
                wanted.is_some_and(|wanted| cell.runs_low(wanted.limits, 0, tokens(wanted), now));
            cell.renewing += u64::from(renews);
            if cell.is_idle() {
                cells.remove(&self.key);
            }
            (over, wanted, renews)
        };
        if renews {
            self.store.renew(self.key, self.lease, &self.clock);
        }
        for held in over {
            let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
            tokio::spawn(store.give_back(self.key, held, clock));
        }
        wanted
    }

    fn settle(
        &self,
        wanted: Wanted,
        from: u64,
        epoch: u64,
        answer: Result<(Reply, Level), Failure>,
    ) {
        let mut cells = self.store.leases.cells(&self.key).lock();
        let cell = cells.entry(self.key).or_default();
        let now = self.clock.now();
        match answer {
            Ok((reply, level)) if reply.granted > 0 => {
                let granted = reply.granted.unsigned_abs();
                let held = Held {
                    limits: wanted.limits,
                    left: granted,
                    ends: Ended { tokens: granted, since: reply.now },
                    from,
                    until: from.saturating_add(micros(self.lease.ttl)),
                };
                cell.receive(wanted, held, level, now);
                if !std::mem::replace(&mut cell.watched, true) {
                    tokio::spawn(self.watch());
                }
            }
            Ok((_, level)) => {
                if let Some((cost, level)) = cell.refuse(wanted, level, now) {
                    self.store.refusals.remember(self.key, epoch, level, cost, now);
                }
            }
            Err(failure) => cell.fail(failure),
        }
    }

    /// Waits for the end of the leases of the key and gives back what they left.
    fn watch(&self) -> impl Future<Output = ()> + Send + 'static {
        let store = Arc::downgrade(&self.store);
        let (key, clock) = (self.key, Arc::clone(&self.clock));
        let mut pause: Duration = self.lease.ttl;
        async move {
            loop {
                tokio::time::sleep(pause).await;
                let Some(store) = store.upgrade() else { return };
                match store.end(key, &clock).await {
                    Some(rest) => pause = rest,
                    None => return,
                }
            }
        }
    }
}

/// When it ends unfinished, as with its runtime, another may start.
impl Drop for Renewal {
    fn drop(&mut self) {
        if !self.done {
            let mut cells = self.store.leases.cells(&self.key).lock();
            if let Some(cell) = cells.get_mut(&self.key) {
                cell.abandon();
            }
        }
    }
}
