//! [`Leases`]: tokens of hot keys that this node took at once, to spend them by itself.
//!
//! A lease is taken from the bucket before any of it is spent, and what it did not spend within its time goes back. One
//! request at a time takes the next lease of a key; the others wait for it, within their deadline.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio::time::{Instant, sleep, timeout_at};

use super::backend::Ended;
use super::failure::Failure;
use super::key::KeyId;
use super::{Asked, Decided, Store, signed};
use crate::bucket::Level;
use crate::clock::Clock;
use crate::config::Lease;
use crate::limits::Limits;
use crate::sync::Mutex;

/// By key, what this node holds. There is an entry for each key that was asked for within the time of a lease.
#[derive(Default)]
pub(super) struct Leases {
    cells: Mutex<HashMap<KeyId, Arc<Cell>>>,
}

/// What this node holds of one key, and the turn to take more.
#[derive(Default)]
struct Cell {
    tokens: Mutex<Tokens>,
    renewing: Arc<AsyncMutex<()>>,
}

#[derive(Default)]
struct Tokens {
    held: Option<Held>,
    /// Whether somebody waits for the end of the lease.
    watched: bool,
}

/// Tokens that were taken and are not spent.
struct Held {
    left: u64,
    /// All that was taken, and when by the backend's clock.
    ends: Ended,
    /// From when to when, by this node's clock, in microseconds. It begins before the backend was asked.
    from: u64,
    until: u64,
    /// How the bucket stood after it, at this time of this node.
    level: Level,
    at: u64,
}

impl Leases {
    fn cell(&self, key: KeyId) -> Arc<Cell> {
        Arc::clone(self.cells.lock().entry(key).or_default())
    }

    /// Forgets a key that nobody but the caller looks at.
    fn forget(&self, key: &KeyId, cell: &Arc<Cell>) {
        let mut cells = self.cells.lock();
        // Clones are made under the lock: one is the map's, one the caller's.
        if Arc::strong_count(cell) == 2 {
            cells.remove(key);
        }
    }
}

impl Held {
    fn holds(&self, limits: Limits, now: u64) -> bool {
        self.level.limits == limits && (self.from..self.until).contains(&now)
    }

    /// How the bucket stands with what is held.
    fn level(&self, now: u64) -> Level {
        let level = self.level.after(now.saturating_sub(self.at));
        with(level, self.left)
    }
}

impl Tokens {
    /// Takes the tokens from what is held; `None` when that is too little.
    fn spend(&mut self, limits: Limits, cost: u64, now: u64) -> Option<Decided> {
        let held = self.held.as_mut().filter(|held| held.holds(limits, now))?;
        held.left = held.left.checked_sub(cost)?;
        Some(Decided { admitted: true, level: held.level(now) })
    }
}

impl Store {
    /// Takes the tokens from the lease of this node, and takes another one when that is too little.
    pub(super) async fn take_leased(
        self: &Arc<Self>,
        key: KeyId,
        limits: Limits,
        cost: u64,
        lease: Lease,
        clock: &Arc<dyn Clock>,
    ) -> Result<Decided, Failure> {
        if Handle::try_current().is_err() {
            return Err(Failure::Unavailable);
        }
        let deadline = self.backend.deadline();
        let cell = self.leases.cell(key);
        let spend = |now| cell.tokens.lock().spend(limits, cost, now);
        if let Some(decided) = spend(clock.now()) {
            return Ok(decided);
        }
        let turn = Arc::clone(&cell.renewing).lock_owned();
        let Ok(turn) = timeout_at(deadline, turn).await else {
            self.refusals.forget_all();
            return Err(Failure::Late);
        };
        let now = clock.now();
        if let Some(decided) = spend(now) {
            return Ok(decided);
        }
        // Whoever had the turn may have heard it.
        if let Some(level) = self.refusals.find(&key, limits, cost, now) {
            return Ok(Decided { admitted: false, level });
        }
        let renewal = Renewal {
            store: Arc::clone(self),
            clock: Arc::clone(clock),
            key,
            cell: Arc::clone(&cell),
            limits,
            cost,
            lease,
            deadline,
        };
        // On its own: when this request is cancelled, the lease is there for the next.
        let renewed = tokio::spawn(renewal.run(turn)).await;
        renewed.unwrap_or(Err(Failure::Unavailable))
    }

    /// Gives back what the lease of a key left when its time is over; says how much of it is left otherwise.
    async fn end(
        self: &Arc<Self>,
        key: KeyId,
        cell: &Arc<Cell>,
        clock: &Arc<dyn Clock>,
    ) -> Option<Duration> {
        let turn = cell.renewing.lock().await;
        let held = {
            let mut tokens = cell.tokens.lock();
            let now = clock.now();
            let holding = |held: &&Held| (held.from..held.until).contains(&now);
            if let Some(held) = tokens.held.as_ref().filter(holding) {
                return Some(Duration::from_micros(held.until - now));
            }
            tokens.watched = false;
            tokens.held.take()
        };
        drop(turn);
        self.leases.forget(&key, cell);
        if let Some(held) = held {
            Arc::clone(self).give_back(key, held, Arc::clone(clock)).await;
        }
        None
    }

    /// Gives back what is left of a lease.
    async fn give_back(self: Arc<Self>, key: KeyId, held: Held, clock: Arc<dyn Clock>) {
        let left = -signed(held.left);
        let asked = Asked { least: left, most: left, ends: held.ends, ..Asked::default() };
        let deadline = self.backend.deadline();
        // What does not arrive is lost, and refills as all else does.
        if self.call(&key, held.level.limits, asked, deadline, &*clock).await.is_ok() {
            self.refusals.forget(&key);
        }
    }
}

/// The taking of a lease.
struct Renewal {
    store: Arc<Store>,
    clock: Arc<dyn Clock>,
    key: KeyId,
    cell: Arc<Cell>,
    limits: Limits,
    cost: u64,
    lease: Lease,
    deadline: Instant,
}

impl Renewal {
    async fn run(self, _turn: OwnedMutexGuard<()>) -> Result<Decided, Failure> {
        let Self { store, clock, key, limits, cost, lease, deadline, .. } = &self;
        let from = clock.now();
        let mut before = self.cell.tokens.lock().held.take();
        if before.as_ref().is_some_and(|held| !held.holds(*limits, from)) {
            if let Some(over) = before.take() {
                tokio::spawn(Arc::clone(store).give_back(*key, over, Arc::clone(clock)));
            }
        }
        let left = before.as_ref().map_or(0, |held| held.left);
        let needed = cost.saturating_sub(left);
        let asked = Asked {
            least: signed(needed),
            most: signed(needed.max(lease.tokens.min(limits.capacity()))),
            // Twice its time: it takes in leases for one, and the last of them may run for another.
            hold: lease.ttl * 2,
            ends: before.as_ref().map_or_else(Ended::default, |held| held.ends),
        };
        let epoch = store.refusals.epoch();
        // After a failure nothing is known of the lease before, and it is not spent any more.
        let (reply, level) = store.call(key, *limits, asked, *deadline, &**clock).await?;
        let at = clock.now();
        let granted = u64::try_from(reply.granted).unwrap_or(0);
        if granted == 0 {
            let level = with(level, left);
            store.refusals.remember(*key, epoch, level, *cost, at);
            self.cell.tokens.lock().held = before;
            return Ok(Decided { admitted: false, level });
        }
        let until = from.saturating_add(micros(lease.ttl));
        let ends = Ended { tokens: granted, since: reply.now };
        let held = Held { left: granted.saturating_sub(needed), ends, from, until, level, at };
        let level = held.level(at);
        let is_watched = {
            let mut tokens = self.cell.tokens.lock();
            tokens.held = Some(held);
            std::mem::replace(&mut tokens.watched, true)
        };
        if !is_watched {
            tokio::spawn(watch(
                Arc::downgrade(store),
                *key,
                Arc::clone(&self.cell),
                lease.ttl,
                Arc::clone(clock),
            ));
        }
        Ok(Decided { admitted: true, level })
    }
}

/// Waits for the end of the leases of a key and gives back what the last one left.
async fn watch(
    store: Weak<Store>,
    key: KeyId,
    cell: Arc<Cell>,
    ttl: Duration,
    clock: Arc<dyn Clock>,
) {
    let mut pause = ttl;
    loop {
        sleep(pause).await;
        let Some(store) = store.upgrade() else { return };
        match store.end(key, &cell, &clock).await {
            Some(rest) => pause = rest,
            None => return,
        }
    }
}

/// The level of a bucket to which `tokens` are added.
fn with(level: Level, tokens: u64) -> Level {
    let units = u128::from(tokens) * u128::from(level.unit);
    Level { spent: level.spent.saturating_sub(units), ..level }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl fmt::Debug for Leases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Leases(..)")
    }
}

#[cfg(test)]
mod tests;
