//! [`Leases`]: tokens of hot keys that this node took at once, to spend them by itself.
//!
//! A lease is taken from the bucket before any of it is spent, and what it did not spend within its time goes back. The
//! next one is taken before the last is used up, and several at once where they go that fast. Requests that find too
//! few tokens wait in turn, within their deadline.

mod cell;
mod renewal;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ahash::RandomState;
use tokio::runtime::Handle;
use tokio::sync::RwLock;
use tokio::time::timeout_at;

use self::cell::{Cell, Held};
use self::renewal::Renewal;
use super::failure::Failure;
use super::key::KeyId;
use super::{Asked, Decided, Store, signed};
use crate::bucket::Level;
use crate::clock::Clock;
use crate::config::Lease;
use crate::limits::Limits;
use crate::sync::Mutex;

/// By key, what this node holds. There is an entry for each key that was asked for within the time of a lease.
pub(super) struct Leases {
    shards: Box<[Mutex<Cells>]>,
    /// Whether all are given back. Read by whoever takes one, for as long as that takes.
    closed: RwLock<bool>,
}

type Cells = HashMap<KeyId, Cell, RandomState>;

const SHARDS: usize = 64;

impl Leases {
    pub(super) fn new() -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::new(Cells::default())).collect();
        Self { shards, closed: RwLock::default() }
    }

    #[expect(clippy::indexing_slicing, reason = "a remainder of the number of shards")]
    fn cells(&self, key: &KeyId) -> &Mutex<Cells> {
        &self.shards[key.spread() % SHARDS]
    }
}

impl Store {
    /// Takes the tokens from a lease that has enough of them, as [`acquire`](Self::acquire) would; otherwise nothing has happened.
    pub(crate) fn spend_leased(
        &self,
        key: &KeyId,
        limits: Limits,
        cost: u64,
        lease: Lease,
        now: u64,
    ) -> Option<Decided> {
        let mut cells = self.leases.cells(key).lock();
        let cell = cells.get_mut(key)?;
        if cell.runs_low(limits, cost, lease.tokens.min(limits.capacity()), now) {
            return None;
        }
        cell.spend(limits, cost, now)
    }

    /// Takes the tokens from the leases of this node, and waits for another one when that is too little.
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
        let now = clock.now();
        let (spent, renews) = {
            let mut cells = self.leases.cells(&key).lock();
            let cell = cells.entry(key).or_default();
            let is_low = cell.runs_low(limits, cost, lease.tokens.min(limits.capacity()), now);
            let spent = cell.spend(limits, cost, now).ok_or_else(|| cell.queue(limits, cost));
            let renews = is_low || (cell.renewing == 0 && spent.is_err());
            cell.renewing += u64::from(renews);
            (spent, renews)
        };
        if renews {
            self.renew(key, lease, clock);
        }
        let told = match spent {
            Ok(decided) => {
                if renews {
                    // Its turn first: whoever never waits would use up this lease before the next is asked for.
                    tokio::task::yield_now().await;
                }
                return Ok(decided);
            }
            Err(told) => {
                let _turn = Turn { store: self, clock, key, lease };
                timeout_at(deadline, told).await
            }
        };
        if let Ok(told) = told {
            return told.unwrap_or(Err(Failure::Unavailable));
        }
        self.refusals.forget_all();
        Err(Failure::Late)
    }

    /// Takes leases of a key on a task of its own.
    fn renew(self: &Arc<Self>, key: KeyId, lease: Lease, clock: &Arc<dyn Clock>) {
        tokio::spawn(Renewal::new(Arc::clone(self), Arc::clone(clock), key, lease).run());
    }

    /// Gives back what this node holds of all keys, and returns when the backend has it, at most after the time of an
    /// operation.
    pub(crate) async fn give_back_leases(self: &Arc<Self>, clock: &Arc<dyn Clock>) {
        if Handle::try_current().is_err() {
            return;
        }
        // After those that are on their way have arrived; no others are asked for.
        *self.leases.closed.write().await = true;
        let mut giving = Vec::new();
        for shard in &self.leases.shards {
            for (key, cell) in shard.lock().iter_mut() {
                for held in cell.held.drain(..) {
                    let give_back = Arc::clone(self).give_back(*key, held, Arc::clone(clock));
                    giving.push(tokio::spawn(give_back));
                }
            }
        }
        for given in giving {
            // One that ended otherwise is lost.
            let _ = given.await;
        }
    }

    /// Gives back what the leases of a key left whose time is over; says when the next one is.
    async fn end(self: &Arc<Self>, key: KeyId, clock: &Arc<dyn Clock>) -> Option<Duration> {
        let now = clock.now();
        let (over, until, spent) = {
            let mut cells = self.leases.cells(&key).lock();
            let cell = cells.get_mut(&key)?;
            let (over, until) = (cell.over(now), cell.until());
            cell.watched = until.is_some();
            let spent = if until.is_none() { cell.spent() } else { Vec::new() };
            if cell.is_idle() {
                cells.remove(&key);
            }
            (over, until, spent)
        };
        for held in over.into_iter().chain(spent) {
            Arc::clone(self).give_back(key, held, Arc::clone(clock)).await;
        }
        until.map(|until| Duration::from_micros(until.saturating_sub(now)))
    }

    /// Gives back what is left of a lease.
    async fn give_back(self: Arc<Self>, key: KeyId, held: Held, clock: Arc<dyn Clock>) {
        let left = -signed(held.left);
        let asked = Asked { least: left, most: left, ends: held.ends, ..Asked::default() };
        let deadline = self.backend.deadline();
        // What does not arrive is lost, and refills as all else does.
        if self.call(&key, held.limits, asked, deadline, &*clock).await.is_ok() {
            self.refusals.forget(&key);
        }
    }
}

/// A request that waits. When it ends, however it does, it lets the next ones in.
///
/// All of them at once would take their turns one after another only to find that whoever came first had taken
/// everything; so those who are served serve two more each, and somebody takes the next lease when the tokens do not go so far.
struct Turn<'a> {
    store: &'a Arc<Store>,
    clock: &'a Arc<dyn Clock>,
    key: KeyId,
    lease: Lease,
}

impl Turn<'_> {
    /// Serves others; says whether somebody has to take a lease for them.
    fn pass_on(&self) -> bool {
        let now = self.clock.now();
        let mut cells = self.store.leases.cells(&self.key).lock();
        let Some(cell) = cells.get_mut(&self.key) else { return false };
        cell.serve(2, now);
        let renews = cell.renewing == 0 && cell.is_short(now);
        cell.renewing += u64::from(renews);
        renews
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // Without a runtime nobody waits any more.
        if Handle::try_current().is_ok() && self.pass_on() {
            self.store.renew(self.key, self.lease, self.clock);
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
